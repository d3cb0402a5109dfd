// Rows are written by the commands that bulk requests are written by, a batch a transaction.

import type { Row } from '@credit/furnishing';
import type { CallContext } from '@credit/platform/context';
import type { Database, Outcome, Transaction } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import type { BatchRequest, CommandDeps } from '../../commands/batch';
import { createAccounts } from '../../commands/create-accounts';
import { recordEvents } from '../../commands/record-events';
import { rehearse } from '../../commands/rehearsal';
import { recordCreated, resolveSubjects, subjectIdOf } from '../../commands/resolve-subjects';
import { countSubmissions } from '../../store/reporting-health';
import type { FaultyRow } from '../domain/import';
import type { ClaimedImport } from '../store/imports';
import { accountsByExternalId, isSameAccount } from './accounts-of-rows';
import { noAccount } from './check-rows';
import { Faults, isRefusal, readAccounts, readEvents, refusalOf } from './read-batch';
import { doubtsOf } from './subjects-of-rows';

/** What became of a batch. */
export interface Applied {
  readonly reported: number;
  /** On file already, with the same content. */
  readonly existing: number;
  readonly refused: readonly FaultyRow[];
}

/** Refusals that others caused in between are looked for anew so often. */
const MAX_ROUNDS = 3;

/**
 * Writes rows and, with them, what `commit` writes of their outcome. Those that the record refuses are
 * told and left out; all others are written in one transaction, as one batch.
 */
export async function applyRows(
  db: Database,
  deps: CommandDeps,
  ctx: CallContext,
  found: Pick<ClaimedImport, 'institution_id' | 'kind'>,
  rows: readonly Row[],
  commit: {
    /** At the beginning: throws when the import is not in hand any more. */
    readonly hold: (tx: Transaction) => Promise<void>;
    readonly advance: (tx: Transaction, applied: Applied) => void;
  },
): Promise<void> {
  const write = found.kind === 'ACCOUNTS' ? writeAccounts : writeEvents;
  let faults = new Faults();
  for (let round = 1; ; round += 1) {
    const left = rows.filter(({ line }) => !faults.has(line));
    try {
      await db.transaction(ctx, async (tx) => {
        await commit.hold(tx);
        // Of its own: a transaction may be run again.
        const refused = faults.copy();
        const counts = await write(tx, deps, ctx, left, refused, 'together');
        const { length: rejected } = refused.of(rows);
        const submitted = counts.reported + rejected;
        if (submitted > 0) {
          await countSubmissions(tx, toTimestamp(deps.clock.now_ms()), [
            { institution_id: found.institution_id, submitted, rejected },
          ]);
        }
        commit.advance(tx, { ...counts, refused: refused.of(rows) });
      });
      return;
    } catch (error) {
      if (!isRefusal(error) || round === MAX_ROUNDS) throw error;
    }
    // One of them is refused, and with it all: each on its own says which.
    const { result } = await rehearse(db, ctx, deps.newId, async (tx, newId) => {
      const refused = faults.copy();
      await write(tx, { ...deps, newId }, ctx, left, refused, 'apart');
      return refused;
    });
    faults = result;
  }
}

type Counts = Pick<Applied, 'reported' | 'existing'>;

/** All in one request, whose refusal is thrown; or each in one of its own, to see which is refused. */
type Way = 'together' | 'apart';

async function writeAccounts(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  rows: readonly Row[],
  faults: Faults,
  way: Way,
): Promise<Counts> {
  const now_ms = deps.clock.now_ms();
  const { accounts, subjects } = readAccounts(rows, now_ms, faults);
  const resolved = await resolveSubjects(tx, deps, ctx, [...subjects.values()]);
  const known = new Map([...subjects.keys()].map((key, index) => [key, resolved[index]]));
  const holders = await accountsByExternalId(
    tx,
    ctx.institution_id,
    accounts.map(({ draft }) => draft.external_account_id),
  );
  let existing = 0;
  const fresh = accounts.flatMap(({ line, draft, subject_key }) => {
    const subject = subject_key === undefined ? undefined : known.get(subject_key);
    if (subject?.kind === 'needs_review') {
      faults.add(line, ...doubtsOf(subject.likenesses));
      return [];
    }
    const subject_id = subject === undefined ? draft.subject_id : subjectIdOf(subject);
    const holder = holders.get(draft.external_account_id);
    if (holder !== undefined && isSameAccount(holder, draft, subject_id)) {
      existing += 1;
      return [];
    }
    return [{ line, item: { ...draft, subject_id } }];
  });
  const written = await submit(fresh, way, faults, ctx, 'accounts', (requests) =>
    createAccounts(tx, deps, requests),
  );
  recordCreated(tx, ctx, resolved, now_ms);
  return { reported: written.length, existing };
}

async function writeEvents(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  rows: readonly Row[],
  faults: Faults,
  way: Way,
): Promise<Counts> {
  const events = readEvents(rows, deps.clock.now_ms(), faults);
  const holders = await accountsByExternalId(
    tx,
    ctx.institution_id,
    events.flatMap(({ external_account_id }) => external_account_id ?? []),
  );
  const placed = events
    .flatMap(({ line, item, external_account_id }) => {
      if (external_account_id === undefined) return [{ line, item }];
      const account_id = holders.get(external_account_id)?.facts.id;
      if (account_id !== undefined) return [{ line, item: { ...item, account_id } }];
      faults.add(line, noAccount('external_account_id'));
      return [];
    })
    // Apart as together, they take effect as they happened.
    .sort((a, b) => (a.item.draft.occurred_at_ms ?? 0) - (b.item.draft.occurred_at_ms ?? 0));
  const made = new Set<string>();
  const newId = () => {
    const id = deps.newId();
    made.add(id);
    return id;
  };
  const written = await submit(placed, way, faults, ctx, 'events', (requests) =>
    recordEvents(tx, { ...deps, newId }, requests),
  );
  const reported = written.filter(({ record }) => made.has(record.id)).length;
  return { reported, existing: written.length - reported };
}

async function submit<Item, Res>(
  rows: readonly { readonly line: number; readonly item: Item }[],
  way: Way,
  faults: Faults,
  ctx: CallContext,
  list: string,
  run: (requests: readonly BatchRequest<Item>[]) => Promise<Outcome<Res[]>[]>,
): Promise<Res[]> {
  if (rows.length === 0) return [];
  const requests =
    way === 'together'
      ? [{ ctx, items: rows.map(({ item }) => item), list }]
      : rows.map(({ item }) => ({ ctx, items: [item] }));
  return (await run(requests)).flatMap((outcome, index) => {
    if ('value' in outcome) return outcome.value;
    if (way === 'together') throw outcome.error;
    faults.add(rows[index]?.line ?? 0, ...refusalOf(outcome.error));
    return [];
  });
}
