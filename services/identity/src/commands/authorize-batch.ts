import type { CallContext } from '@credit/platform/context';
import type { Dependencies } from '../dependencies';
import { meteredPlace, normalizeAddress } from '../domain/addresses';
import type { RateLimits } from '../domain/rate-limits';
import { grantedUnder, type RateState } from '../domain/rate-limits';
import type { CheckedGroup, CheckGroup } from '../store/authorization';

/** One credential to authenticate and count. */
export interface Check {
  /** SHA-256 of the secret; empty when none was presented. */
  readonly credential_hash: Buffer;
  readonly is_api_key: boolean;
  readonly is_person: boolean;
  readonly client_address: string;
  /** The public write, which is counted by address and operation; else undefined. */
  readonly public_operation: string | undefined;
  /** How many equal checks it stands for. */
  readonly count: number;
}

/** What a check found. */
export interface CheckResult {
  readonly found: CheckedGroup;
  /** As the first of the equal checks sees it. */
  readonly rate: RateState;
  /** How many of the equal checks are within the limits: the first ones. */
  readonly granted: number;
}

const HASH_LENGTH = 32;

/** Authenticates and counts the checks of one event-loop turn; results in their order. */
export async function authorizeBatch(
  deps: Pick<Dependencies, 'authorization_db' | 'config' | 'rate_store'>,
  ctx: CallContext,
  checks: readonly Check[],
): Promise<CheckResult[]> {
  if (checks.length === 0) return [];
  const groups: CheckGroup[] = [];
  const group_of = groupChecks(checks, groups);
  const found = await deps.rate_store.authorize(
    deps.authorization_db.read(ctx),
    groups,
    limitsOf(deps.config),
    deps.config.PERSON_DOOR,
  );
  const by_ordinal = new Map(found.map((group) => [group.ordinal, group]));

  // Several groups may share a counter: its requests get places in the order of the checks.
  const places = new Map<string, number>();
  return group_of.map((index, position): CheckResult => {
    const group = by_ordinal.get(index + 1);
    if (group === undefined) throw new Error('A check was not answered.');
    const count = checks[position]?.count ?? 0;
    const place = places.get(group.counter) ?? 0;
    places.set(group.counter, place + count);
    const { institution_id, shared } = group;
    if (shared === undefined || institution_id === undefined) {
      return { found: group, ...grantedUnder(group, place, count, undefined) };
    }
    const shared_place = places.get(institution_id) ?? 0;
    const result = grantedUnder(group, place, count, { counted: shared, place: shared_place });
    places.set(institution_id, shared_place + result.granted);
    return { found: group, ...result };
  });
}

/** Equal checks are one row for the database. Returns each check's group. */
function groupChecks(checks: readonly Check[], groups: CheckGroup[]): number[] {
  const known = new Map<string, number>();
  return checks.map((check) => {
    const { credential_hash, is_api_key, is_person, client_address, public_operation, count } =
      check;
    const hash = credential_hash.length === HASH_LENGTH ? credential_hash : undefined;
    const identity = [
      hash?.toString('latin1'),
      is_api_key,
      is_person,
      client_address,
      public_operation,
    ].join();
    const index = known.get(identity);
    const group = index === undefined ? undefined : groups[index];
    if (index !== undefined && group !== undefined) {
      group.count += count;
      return index;
    }
    const address = normalizeAddress(client_address);
    known.set(identity, groups.length);
    return (
      groups.push({
        key_hash: is_api_key ? hash : undefined,
        token_hash: is_api_key || is_person ? undefined : hash,
        person_hash: is_person && !is_api_key ? hash : undefined,
        address,
        place: meteredPlace(address),
        operation: public_operation,
        count,
      }) - 1
    );
  });
}

function limitsOf(config: Dependencies['config']): RateLimits {
  return {
    per_minute: config.RATE_LIMIT_PER_MINUTE,
    per_day: config.RATE_LIMIT_PER_DAY,
    person_per_minute: config.RATE_LIMIT_PERSON_PER_MINUTE,
    person_per_day: config.RATE_LIMIT_PERSON_PER_DAY,
    institution_factor: config.RATE_LIMIT_INSTITUTION_FACTOR,
    anonymous_per_minute: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    public_writes_per_minute: config.RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE,
  };
}
