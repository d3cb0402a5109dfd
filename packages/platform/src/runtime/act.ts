// What an operator's commands have in common: they can be tried without effect, and what they do is told to
// the network's audit log with who did it.

import { type Environment, systemContext } from '../context';
import { type Clock, toTimestamp } from '../core';
import type { Database, Transaction } from '../db';

/** Options of every command that changes something, for `parseArgs`. */
export const ACT_OPTIONS = {
  by: { type: 'string' },
  reason: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const;

const MAX_TEXT = 2_000;

/** Who does something, and why. */
export interface Act {
  readonly by: string;
  readonly reason: string;
  /** Say what would be done, and do nothing. */
  readonly dry_run: boolean;
}

/** Throws a sentence where somebody has to say who they are and does not. */
export function readAct(
  values: { readonly by?: string; readonly reason?: string; readonly 'dry-run': boolean },
  { named }: { readonly named: boolean },
): Act {
  const by = (values.by ?? '').trim().slice(0, MAX_TEXT);
  const dry_run = values['dry-run'];
  if (named && by === '' && !dry_run) throw new Error('--by names who does this.');
  return { by, reason: (values.reason ?? '').slice(0, MAX_TEXT), dry_run };
}

/** What is told of an act. */
export interface ToldAct {
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** Tells the network's audit log, with the change. */
export function tellAct(tx: Transaction, clock: Clock, act: Act, told: ToldAct): void {
  const { by, reason } = act;
  tx.audit({
    ...told,
    institution_id: '',
    changes: {
      ...told.changes,
      ...(by === '' ? {} : { by }),
      ...(reason === '' ? {} : { reason }),
    },
    at: toTimestamp(clock.now_ms()),
  });
}

/** The environments that `--environment` means. */
export function chosenEnvironments(
  db: Pick<Database, 'environments'>,
  wanted: string | undefined,
): readonly Environment[] {
  const chosen = db.environments.filter((one) => wanted === undefined || wanted === one);
  if (chosen.length === 0) throw new Error('--environment is live or test.');
  return chosen;
}

/** Tells of an act that is in no database, in the first environment that the service has. */
export async function tellOutside(
  db: Pick<Database, 'environments' | 'transaction'>,
  clock: Clock,
  act: Act,
  told: ToldAct,
): Promise<void> {
  const [environment = 'live'] = db.environments;
  await db.transaction(systemContext(environment), async (tx) => tellAct(tx, clock, act, told));
}
