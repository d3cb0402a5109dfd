// What the operator's commands share: they go through every subject that reporting has.

import { type CallContext, type Environment, systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import type { Logger } from '@credit/platform/runtime';
import type { WholeSubject } from '../domain/subject-file';
import type { ReadWhole } from '../workers/catch-up';
import type { Makings } from './evaluate';
import { replaceSubjects } from './replace-subjects';

export interface SubjectVersion {
  readonly subject_id: string;
  readonly version: number;
}

/** Asks reporting for heads by subject id. */
export type ReadHeads = (
  ctx: CallContext,
  after_subject_id: string | undefined,
  limit: number,
) => Promise<readonly SubjectVersion[]>;

export interface OperatorDeps extends Makings {
  readonly db: Database;
  readonly logger: Logger;
  readonly readWhole: ReadWhole;
  readonly readHeads: ReadHeads;
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const CALL_TIMEOUT_MS = 15_000;
const AT_ONCE = 32;

/** A context for one step of a command: it has the time of one call. */
export function stepContext(environment: Environment): CallContext {
  return systemContext(environment, { deadline_at_ms: Date.now() + CALL_TIMEOUT_MS });
}

/** Pages of heads with the span of ids that each page speaks of, to the very end. */
export async function* pagesOfHeads(
  deps: Pick<OperatorDeps, 'readHeads'>,
  environment: Environment,
  page_size: number,
): AsyncGenerator<{ heads: readonly SubjectVersion[]; after_id: string; until_id: string }> {
  let after_id = FIRST_ID;
  for (;;) {
    const after = after_id === FIRST_ID ? undefined : after_id;
    const heads = await deps.readHeads(stepContext(environment), after, page_size);
    const last = heads.at(-1);
    const is_last = heads.length < page_size || last === undefined;
    yield { heads, after_id, until_id: is_last ? LAST_ID : last.subject_id };
    if (is_last) return;
    after_id = last.subject_id;
  }
}

/** Runs over items a few at a time. */
export async function aFewAtOnce<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lanes = Array.from({ length: Math.min(AT_ONCE, items.length) }, async () => {
    for (const item of waiting) await run(item);
  });
  await Promise.all(lanes);
}

const MAX_TRIES = 5;

/** Replaces subjects by what reporting has of them now. */
export async function rebuildSubjects(
  deps: OperatorDeps,
  environment: Environment,
  subject_ids: readonly string[],
): Promise<void> {
  let waiting: readonly string[] = subject_ids;
  let newer_here: ReadonlyMap<string, number> = new Map();
  for (let tried = 0; waiting.length > 0; tried += 1) {
    if (tried === MAX_TRIES) throw new Error(`Subjects change too fast: ${waiting.join(', ')}.`);
    const wholes: WholeSubject[] = [];
    await aFewAtOnce(waiting, async (subject_id) => {
      wholes.push(await deps.readWhole(stepContext(environment), subject_id));
    });
    // Looked at again and still further here: reporting itself has gone back.
    const gone_back = new Set(
      wholes
        .filter(
          ({ subject_id, subject_version }) => subject_version < (newer_here.get(subject_id) ?? 0),
        )
        .map(({ subject_id }) => subject_id),
    );
    const done = await deps.db.transaction(stepContext(environment), (tx) =>
      replaceSubjects(tx, wholes, deps, gone_back),
    );
    newer_here = done.newer_here;
    waiting = [...newer_here.keys()];
  }
}
