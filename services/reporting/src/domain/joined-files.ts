// What becomes of a person's own word when files are put together, and when they are taken apart again.

import {
  type FileEntry,
  type FileRights,
  type FileStanding,
  joined,
  NO_RIGHTS,
  standingAt,
  standingOf,
  withEntry,
} from './file-entries';

/** True when a move has nothing to do with how a file stands. */
export function isBlank({ frozen_since_ms, thaws, alerts, statements }: FileStanding): boolean {
  return (
    frozen_since_ms === undefined &&
    thaws.length === 0 &&
    alerts.length === 0 &&
    statements.length === 0
  );
}

export function isSameStanding(a: FileStanding, b: FileStanding): boolean {
  return JSON.stringify(standingOf(a)) === JSON.stringify(standingOf(b));
}

/** What is said about records of an account that went, and about others. */
export function partedStatements(
  standing: FileStanding,
  account_ids: ReadonlySet<string>,
): { readonly gone: FileStanding; readonly stays: FileStanding } {
  const { statements, ...others } = standingOf(standing);
  const { gone = [], stays = [] } = Object.groupBy(statements, ({ account_id }) =>
    account_ids.has(account_id) ? 'gone' : 'stays',
  );
  return {
    gone: { thaws: [], alerts: [], statements: gone },
    stays: { ...others, statements: stays },
  };
}

/** A merge that is taken back. */
export interface TakenBack {
  readonly move_id: string;
  /** Entries of the file that stays, up to the merge and its own. */
  readonly entries_at_merge: number;
  /** Accounts that go. */
  readonly account_ids: ReadonlySet<string>;
  /** Merges into the file that stays which were taken back before. */
  readonly taken_back_before: ReadonlySet<string>;
  readonly now_ms: number;
}

/**
 * How both files stand once a merge is taken back. The one that stays is as if the merge had never been:
 * its own acts, those since the merge among them. The one that goes is as it was before, under every
 * protection that was placed since: nobody can say for whom it was. What was relaxed meanwhile was not
 * relaxed by its person. What is said about a record goes with it.
 */
export function partedStandings(
  entries: readonly FileEntry[],
  gone: FileRights,
  merge: TakenBack,
): { readonly stays: FileStanding; readonly goes: FileStanding } {
  const { account_ids, entries_at_merge, move_id, now_ms, taken_back_before } = merge;
  const without = new Set([...taken_back_before, move_id]);
  const isMoved = ({ act }: FileEntry) =>
    (act.kind === 'FILE_JOINED' || act.kind === 'FILE_PARTED') && without.has(act.move_id);
  const alone = entries.filter((entry) => !isMoved(entry)).reduce(withEntry, NO_RIGHTS);
  const merged = standingAt(entries.reduce(withEntry, NO_RIGHTS), now_ms);
  const guarded = entries
    .filter(({ sequence }) => sequence > entries_at_merge)
    .reduce(guardedBy, standingOf(gone));
  const { statements } = partedStatements(merged, account_ids).gone;
  return {
    stays: partedStatements(standingAt(alone, now_ms), account_ids).stays,
    goes: standingOf(standingAt({ ...NO_RIGHTS, ...guarded, statements }, now_ms)),
  };
}

/** What protects stands on both files. */
function guardedBy(standing: FileStanding, { act, id, recorded_at_ms }: FileEntry): FileStanding {
  switch (act.kind) {
    case 'FREEZE_PLACED':
      return { ...standing, frozen_since_ms: standing.frozen_since_ms ?? recorded_at_ms };
    case 'ALERT_PLACED': {
      const { alert_kind: kind, until_ms } = act;
      const alert = { id, kind, placed_at_ms: recorded_at_ms, until_ms };
      return joined(standing, { thaws: [], alerts: [alert], statements: [] });
    }
    default:
      return standing;
  }
}
