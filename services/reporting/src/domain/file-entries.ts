// What people put on their own files: freezes and exceptions from them, alerts, statements. Each act
// is an entry that stays; how a file stands at any time follows from its entries alone.

export type AlertKind = 'FRAUD';
export type StatedRecordKind = 'EVENT' | 'ACCOUNT';

/** A record of the file that something is said about. */
export interface StatedRecord {
  readonly record_kind: StatedRecordKind;
  readonly record_id: string;
  /** The account, or the event's one. */
  readonly account_id: string;
  /** Who reports it. */
  readonly institution_id: string;
  /** Of an event. */
  readonly occurred_at_ms?: number | undefined;
}

/** What an entry says. */
export type FileAct =
  | { readonly kind: 'FREEZE_PLACED' | 'FREEZE_LIFTED' }
  | {
      readonly kind: 'THAW_PLACED';
      /** Undefined for everybody. */
      readonly institution_id?: string | undefined;
      readonly from_ms: number;
      /** Undefined while it lasts until it is withdrawn. */
      readonly until_ms?: number | undefined;
    }
  | { readonly kind: 'ALERT_PLACED'; readonly alert_kind: AlertKind; readonly until_ms: number }
  | { readonly kind: 'STATEMENT_SET'; readonly record: StatedRecord; readonly text: string }
  /** Ends the thaw or alert of that entry, or what was said about that record. */
  | {
      readonly kind: 'THAW_WITHDRAWN' | 'ALERT_REMOVED' | 'STATEMENT_REMOVED';
      readonly target_id: string;
    }
  /** Records of another file came, and with them what stood on that one. */
  | { readonly kind: 'FILE_JOINED'; readonly move_id: string; readonly came: FileStanding }
  /** Records went or came back: what stands from then on. */
  | { readonly kind: 'FILE_PARTED'; readonly move_id: string; readonly stands: FileStanding };

/** An act on record. A file's entries are numbered from 1 and their times never go back. */
export interface FileEntry {
  readonly id: string;
  readonly sequence: number;
  readonly recorded_at_ms: number;
  readonly act: FileAct;
}

/** An exception from a freeze. */
export interface Thaw {
  readonly id: string;
  readonly institution_id?: string | undefined;
  readonly from_ms: number;
  readonly until_ms?: number | undefined;
}

/** What whoever reads the file is warned of. */
export interface FileAlert {
  readonly id: string;
  readonly kind: AlertKind;
  readonly placed_at_ms: number;
  readonly until_ms: number;
}

/** What the person has to say about a record. */
export interface FileStatement extends StatedRecord {
  readonly text: string;
  readonly set_at_ms: number;
}

/** What stands on a file. */
export interface FileStanding {
  readonly frozen_since_ms?: number | undefined;
  readonly thaws: readonly Thaw[];
  /** One of a kind. */
  readonly alerts: readonly FileAlert[];
  /** One of a record, in the order they were first set. */
  readonly statements: readonly FileStatement[];
}

/** How a file stands: the fold of its entries. */
export interface FileRights extends FileStanding {
  /** Of the last entry; 0 before the first. */
  readonly sequence: number;
  readonly recorded_at_ms: number;
}

/** Of a file without entries. */
export const NO_RIGHTS: FileRights = {
  sequence: 0,
  recorded_at_ms: 0,
  thaws: [],
  alerts: [],
  statements: [],
};

/** The file after one more entry; what is over by then is left behind. */
export function withEntry(before: FileRights, entry: FileEntry): FileRights {
  const { id, sequence, recorded_at_ms, act } = entry;
  const rights = { ...standingAt(before, recorded_at_ms), sequence, recorded_at_ms };
  switch (act.kind) {
    case 'FREEZE_PLACED':
      return { ...rights, frozen_since_ms: rights.frozen_since_ms ?? recorded_at_ms };
    case 'FREEZE_LIFTED':
      return { ...rights, frozen_since_ms: undefined, thaws: [] };
    case 'THAW_PLACED': {
      const { institution_id, from_ms, until_ms } = act;
      return { ...rights, thaws: [...rights.thaws, { id, institution_id, from_ms, until_ms }] };
    }
    case 'THAW_WITHDRAWN':
      return { ...rights, thaws: rights.thaws.filter((thaw) => thaw.id !== act.target_id) };
    case 'ALERT_PLACED': {
      const { alert_kind: kind, until_ms } = act;
      const others = rights.alerts.filter((alert) => alert.kind !== kind);
      return {
        ...rights,
        alerts: [...others, { id, kind, placed_at_ms: recorded_at_ms, until_ms }],
      };
    }
    case 'ALERT_REMOVED':
      return { ...rights, alerts: rights.alerts.filter((alert) => alert.id !== act.target_id) };
    case 'STATEMENT_SET': {
      const statement = { ...act.record, text: act.text, set_at_ms: recorded_at_ms };
      return { ...rights, statements: withStatement(rights.statements, statement) };
    }
    case 'STATEMENT_REMOVED':
      return {
        ...rights,
        statements: rights.statements.filter(({ record_id }) => record_id !== act.target_id),
      };
    case 'FILE_JOINED':
      return { ...rights, ...joined(rights, act.came) };
    case 'FILE_PARTED':
      return { ...rights, frozen_since_ms: undefined, ...act.stands };
    default:
      return act satisfies never;
  }
}

function withStatement(
  statements: readonly FileStatement[],
  statement: FileStatement,
): FileStatement[] {
  const at = statements.findIndex(({ record_id }) => record_id === statement.record_id);
  return at < 0 ? [...statements, statement] : statements.with(at, statement);
}

/** What stands by the entries, without their number and time. */
export function standingOf({
  frozen_since_ms,
  thaws,
  alerts,
  statements,
}: FileStanding): FileStanding {
  return { frozen_since_ms, thaws, alerts, statements };
}

/**
 * What stands on a file that two were put together in: the stricter of both. Of two freezes each has its
 * own exceptions, and none of them is one from the other.
 */
export function joined(one: FileStanding, other: FileStanding): FileStanding {
  const frozen = [one.frozen_since_ms, other.frozen_since_ms].filter((at) => at !== undefined);
  const alerts = new Map(one.alerts.map((alert) => [alert.kind, alert]));
  for (const alert of other.alerts) {
    const known = alerts.get(alert.kind);
    if (known === undefined || known.until_ms < alert.until_ms) alerts.set(alert.kind, alert);
  }
  return {
    frozen_since_ms: frozen.length === 0 ? undefined : Math.min(...frozen),
    thaws: frozen.length === 2 ? [] : [...one.thaws, ...other.thaws],
    alerts: [...alerts.values()],
    statements: [...one.statements, ...other.statements],
  };
}

/** Whether it puts something on the file that readers are shown, of the past too. */
export function addsToShown({ kind }: FileAct): boolean {
  return kind === 'ALERT_PLACED' || kind === 'STATEMENT_SET';
}

/** The file without what is over at a time; nothing of it is of a later time than its last entry. */
export function standingAt(rights: FileRights, at_ms: number): FileRights {
  const isOver = ({ until_ms }: { readonly until_ms?: number | undefined }) =>
    until_ms !== undefined && until_ms <= at_ms;
  if (!rights.thaws.some(isOver) && !rights.alerts.some(isOver)) return rights;
  return {
    ...rights,
    thaws: rights.thaws.filter((thaw) => !isOver(thaw)),
    alerts: rights.alerts.filter((alert) => !isOver(alert)),
  };
}

/** The file as others are shown it: nothing is said to them about records that it leaves out. */
export function withoutWordsAbout(rights: FileRights, record_ids: ReadonlySet<string>): FileRights {
  if (record_ids.size === 0) return rights;
  const statements = rights.statements.filter(({ record_id }) => !record_ids.has(record_id));
  return { ...rights, statements };
}

/** How a file stood at a past time, as was known then: by the entries of up to then. */
export function rightsAt(entries: readonly FileEntry[], at_ms: number): FileRights {
  const known = entries.filter(({ recorded_at_ms }) => recorded_at_ms <= at_ms);
  return standingAt(known.reduce(withEntry, NO_RIGHTS), at_ms);
}

/** Whether a freeze keeps the file from an institution at a time. */
export function isFrozenFor(rights: FileRights, institution_id: string, at_ms: number): boolean {
  if (rights.frozen_since_ms === undefined) return false;
  // Another machine's clock may be behind that of the last entry, which is in force already.
  const now_ms = Math.max(at_ms, rights.recorded_at_ms);
  return !standingAt(rights, now_ms).thaws.some(
    (thaw) =>
      thaw.from_ms <= now_ms &&
      (thaw.institution_id === undefined || thaw.institution_id === institution_id),
  );
}
