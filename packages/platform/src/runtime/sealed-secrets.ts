import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Environment, systemContext } from '../context';
import { type Clock, crashPoint } from '../core';
import { type KeyRing, SealError, sealSecret, unsealSecret } from '../credentials';
import type { Database, SealedColumns, SealedRow } from '../db';
import { ACT_OPTIONS, type Act, readAct, tellAct } from './act';

/** Secrets of a service, and the keys that it has for them. */
export interface SealedSecrets {
  readonly columns: SealedColumns;
  readonly keys: KeyRing;
}

/** A rotation by script does it in nobody's name. */
const NOBODY: Act = { by: '', reason: '', dry_run: false };
const BATCH = 100;
/** A million secrets; whatever is left is left for the next run. */
const MAX_BATCHES = 10_000;

/** `current` seals, `accepted` only opens, and with `missing` nothing is opened. */
export type KeyStanding = 'current' | 'accepted' | 'missing';

/** How many secrets a key seals. */
export interface SealedCount {
  readonly environment: Environment;
  readonly key_id: string;
  readonly standing: KeyStanding;
  readonly count: number;
}

/** What seals the secrets now, in every environment. */
export async function sealedCounts(
  db: Pick<Database, 'environments' | 'read'>,
  { columns, keys }: SealedSecrets,
): Promise<SealedCount[]> {
  const counts = await Promise.all(
    db.environments.map(async (environment) => {
      const rows = await columns.count(db.read(systemContext(environment)));
      return rows.map(({ key_id, count }) => ({
        environment,
        key_id,
        standing: standingOf(keys, key_id),
        count,
      }));
    }),
  );
  return counts.flat();
}

function standingOf(keys: KeyRing, key_id: string): KeyStanding {
  if (key_id === keys.current_id) return 'current';
  return keys.keys.has(key_id) ? 'accepted' : 'missing';
}

/**
 * Seals with the current key what others sealed. Each batch is a transaction with an entry in the
 * network's audit log: a run that is cut off loses nothing, and the next goes on where it was. What
 * changes meanwhile is left to whoever changed it. Returns how many were sealed anew.
 */
export async function resealSecrets(
  parts: { readonly db: Database; readonly clock: Clock; readonly sealed: SealedSecrets },
  environment: Environment,
  act: Act = NOBODY,
): Promise<number> {
  const { db, clock, sealed } = parts;
  const { columns, keys } = sealed;
  const ctx = systemContext(environment);
  let total = 0;
  let after_id: string | undefined;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const rows = await columns.listOthers(db.read(ctx), keys.current_id, after_id, BATCH);
    const opened = rows.flatMap((row) => opening(keys, row));
    if (opened.length > 0) {
      total += await db.transaction(ctx, async (tx) => {
        let count = 0;
        for (const { row, secret } of opened) {
          const anew = sealSecret(keys, row.id, secret, randomBytes);
          if (await columns.replace(tx, row, anew)) count += 1;
        }
        if (count > 0) {
          tellAct(tx, clock, act, {
            action: 'secrets.resealed',
            target_type: 'sealing_key',
            target_id: keys.current_id,
            changes: { of: columns.of, count },
          });
        }
        return count;
      });
      crashPoint('secrets.resealed');
    }
    after_id = rows.at(-1)?.id;
    if (rows.length < BATCH) break;
  }
  return total;
}

/** What no key opens stays as it is, and is counted by {@link sealedCounts}. */
function opening(keys: KeyRing, row: SealedRow): { row: SealedRow; secret: string }[] {
  try {
    return [{ row, secret: unsealSecret(keys, row.id, row) }];
  } catch (error) {
    if (error instanceof SealError) return [];
    throw error;
  }
}

/**
 * `sealed-secrets [--reseal] [--by NAME] [--reason TEXT] [--dry-run]` says what each key seals; with --reseal
 * the current key seals all that others did. Returns how many secrets the current key does not seal.
 */
export async function sealedSecretsCommand(
  parts: {
    readonly db: Database;
    readonly clock: Clock;
    readonly sealed: SealedSecrets;
    readonly say: (line: string) => void;
  },
  args: string[],
): Promise<number> {
  const { db, sealed, say } = parts;
  const { values } = parseArgs({
    args,
    options: { reseal: { type: 'boolean', default: false }, ...ACT_OPTIONS },
  });
  const act = readAct(values, { named: false });
  if (values.reseal && !act.dry_run) {
    for (const environment of db.environments) {
      say(`${environment}: ${await resealSecrets(parts, environment, act)} sealed anew`);
    }
  }
  const counts = await sealedCounts(db, sealed);
  for (const { environment, key_id, standing, count } of counts) {
    say(`${environment} ${key_id} ${standing}: ${count} ${sealed.columns.of}`);
  }
  const left = counts
    .filter(({ standing }) => standing !== 'current')
    .reduce((sum, { count }) => sum + count, 0);
  say(`${left} not sealed by the current key, ${sealed.keys.current_id}`);
  return left;
}
