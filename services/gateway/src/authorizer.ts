import { systemContext } from '@credit/platform/context';
import { unavailable } from '@credit/platform/errors';
import { isRetryable, type Stub } from '@credit/platform/rpc';
import {
  type AuthorizeCheck,
  type AuthorizeResult,
  type IdentityServiceDefinition,
  LimitClass,
} from '@credit/proto/identity/v1/identity';

export type IdentityStub = Stub<typeof IdentityServiceDefinition>;

/** Enough to keep identity busy while one answer is on its way, few enough to gather many. */
const MAX_BATCHES_IN_FLIGHT = 2;
/** As many as identity's statement takes well. */
const MAX_BATCH_SIZE = 500;
const TIMEOUT_MS = 5_000;

/** One request's credential. */
export type Check = Omit<AuthorizeCheck, 'count'>;

interface Waiting {
  readonly check: Check;
  readonly resolve: (result: AuthorizeResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Has credentials checked and metered by identity, those of one event-loop turn
 * in one call. Nothing is remembered: a batch begins after all of its members
 * have arrived, so whoever comes after the answer to a revocation is refused.
 */
export class Authorizer {
  readonly #identity: Pick<IdentityStub, 'authorizeBatch'>;
  #waiting: Waiting[] = [];
  #in_flight = 0;
  #scheduled = false;

  constructor(identity: Pick<IdentityStub, 'authorizeBatch'>) {
    this.#identity = identity;
  }

  /** Rejects when identity cannot be asked: nobody is let in unchecked. */
  check(check: Check): Promise<AuthorizeResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ check, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#in_flight >= MAX_BATCHES_IN_FLIGHT) return;
    this.#scheduled = true;
    // After the input of this turn has been read: all of it travels together.
    setImmediate(this.#begin);
  }

  readonly #begin = (): void => {
    this.#scheduled = false;
    const members = this.#waiting.splice(0, MAX_BATCH_SIZE);
    if (members.length === 0) return;
    this.#in_flight++;
    if (this.#waiting.length > 0) this.#schedule();
    void this.#run(members);
  };

  async #run(members: readonly Waiting[]): Promise<void> {
    try {
      const groups = groupEqual(members);
      const results = await this.#ask(
        groups.map((group) => ({ ...group[0].check, count: group.length })),
      );
      if (results.length !== groups.length) {
        throw new Error(`identity answered ${results.length} of ${groups.length} checks`);
      }
      for (const [index, group] of groups.entries()) {
        const result = results[index];
        if (result === undefined) throw new Error('an answer of identity is missing');
        for (const [place, member] of group.entries()) member.resolve(resultAt(result, place));
      }
    } catch (error) {
      const refusal = unavailable('The service is temporarily unavailable.', 1, error);
      for (const member of members) member.reject(refusal);
    } finally {
      this.#in_flight--;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  // A restart of identity costs one more try, not the requests. The counters may
  // then have counted a request twice; no request goes uncounted.
  async #ask(checks: AuthorizeCheck[]): Promise<readonly AuthorizeResult[]> {
    const ctx = systemContext('live', { deadline_at_ms: Date.now() + TIMEOUT_MS });
    try {
      return (await this.#identity.authorizeBatch(ctx, { checks })).results;
    } catch (error) {
      if (!isRetryable(error)) throw error;
      return (await this.#identity.authorizeBatch(ctx, { checks })).results;
    }
  }
}

type Group = [Waiting, ...Waiting[]];

/** A lender's machines use one key: what they ask in one turn is one question. */
function groupEqual(members: readonly Waiting[]): Group[] {
  const groups = new Map<string, Group>();
  for (const member of members) {
    const { credential_hash, is_api_key, is_person, client_address, limit_class, operation } =
      member.check;
    // Others than public writes are counted whatever the operation.
    const counted = limit_class === LimitClass.PUBLIC_WRITE ? operation : '';
    const hash = Buffer.from(credential_hash).toString('latin1');
    const identity = [hash, is_api_key, is_person, client_address, limit_class, counted].join();
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, [member]);
    else group.push(member);
  }
  return [...groups.values()];
}

/** What the `place`-th (from 0) of equal checks found. */
function resultAt(result: AuthorizeResult, place: number): AuthorizeResult {
  const { rate, granted } = result;
  // An identity of before it could count them together has counted the first alone.
  if (place === 0 || rate === undefined || granted === undefined) return result;
  const exceeded = place >= granted;
  const remaining = exceeded ? 0 : Math.max(0, rate.remaining - place);
  return { ...result, rate: { ...rate, remaining, exceeded } };
}
