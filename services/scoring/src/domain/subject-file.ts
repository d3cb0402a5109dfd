// What scoring holds of one subject, and how a change of it gets in. Reporting numbers a
// subject's changes from 1 without a gap, so that the file knows by itself how far it is complete:
// changes may come twice, late or early, and each has its effect once.

import { type AccountFacts, type InquiryFacts, MODEL_VERSION, type SubjectType } from './model';

/** What makes a score change. */
export interface Trigger {
  readonly type: 'EVENT' | 'INQUIRY' | 'AGEING' | 'MODEL';
  /** The credit event's or inquiry's id; undefined for ageing and for another model. */
  readonly id: string | undefined;
}

export interface ProjectedAccount {
  /** The account's own version: an older one never replaces a newer. */
  readonly version: number;
  readonly facts: AccountFacts;
}

export interface SubjectHead {
  readonly subject_id: string;
  readonly subject_type: SubjectType;
  /** Every change up to this version is in. */
  readonly complete_version: number;
  /** Versions above it that came early and are in already, ascending. */
  readonly early_versions: readonly number[];
  /** The last snapshot's; 0 before the first. */
  readonly snapshot_sequence: number;
  /** The last snapshot's. */
  readonly score: number | undefined;
  /** The last snapshot's, with blanks between. */
  readonly reason_codes: string;
  /** The model that score and reasons were last compared with. */
  readonly model_version: string;
}

export interface SubjectFile {
  readonly head: SubjectHead;
  readonly accounts: ReadonlyMap<string, ProjectedAccount>;
  readonly inquiries: ReadonlyMap<string, InquiryFacts>;
}

interface ChangeOfSubject {
  readonly subject_id: string;
  readonly subject_type: SubjectType;
  /** The subject's version that this change made. */
  readonly subject_version: number;
}

export interface AccountChange extends ChangeOfSubject {
  readonly type: 'ACCOUNT';
  readonly account: ProjectedAccount;
  readonly credit_event_id: string;
}

export interface InquiryChange extends ChangeOfSubject {
  readonly type: 'INQUIRY';
  readonly inquiry: InquiryFacts;
}

export type Change = AccountChange | InquiryChange;

/**
 * False for what can move no score: a soft look, and one that repeats another. A voided one did; what
 * repeats another since it was voided is told before it.
 */
export function countsInScore(change: Change): boolean {
  return (
    change.type === 'ACCOUNT' ||
    (change.inquiry.inquiry_type === 'HARD' && !change.inquiry.duplicate)
  );
}

/** The whole of a subject as reporting has it at one version. */
export interface WholeSubject {
  readonly subject_id: string;
  readonly subject_type: SubjectType;
  readonly subject_version: number;
  /** The last version with which records went to another subject; 0 when none ever has. */
  readonly left_version: number;
  readonly accounts: readonly ProjectedAccount[];
  readonly inquiries: readonly InquiryFacts[];
  /** What made that version. */
  readonly last_change: Trigger;
}

const MAX_EARLY_VERSIONS = 256;

/** A subject without accounts is not rated; its first account makes the first snapshot. */
export const NO_FILE_CODES = 'NF01';

/** The file of a subject of which nothing is known yet. */
export function emptyFile(subject_id: string, subject_type: SubjectType): SubjectFile {
  return {
    head: {
      subject_id,
      subject_type,
      complete_version: 0,
      early_versions: [],
      snapshot_sequence: 0,
      score: undefined,
      reason_codes: NO_FILE_CODES,
      model_version: MODEL_VERSION,
    },
    accounts: new Map(),
    inquiries: new Map(),
  };
}

/** The file after a change; the very same one when the change brings nothing. */
export function takeIn(file: SubjectFile, change: Change): SubjectFile {
  const head = withVersion(file.head, change.subject_version);
  if (head === file.head) return file;
  if (change.type === 'INQUIRY') {
    const { inquiry } = change;
    // Voided for good: the change that recorded it may come after the one that voided it.
    if (file.inquiries.get(inquiry.inquiry_id)?.voided === true) return { ...file, head };
    return { ...file, head, inquiries: new Map(file.inquiries).set(inquiry.inquiry_id, inquiry) };
  }
  const { account } = change;
  const isLast = change.subject_version > newestVersion(file.head);
  if (!isNewer(file.accounts, account, isLast)) return { ...file, head };
  return { ...file, head, accounts: new Map(file.accounts).set(account.facts.account_id, account) };
}

/**
 * The file after a look at the whole subject; the very same one when that brings nothing, and when records
 * have gone of which it cannot be said whether they are among those that came after the look: then it takes
 * another look.
 */
export function takeInWhole(known: SubjectFile, whole: WholeSubject): SubjectFile {
  const isLast = whole.subject_version >= newestVersion(known.head);
  const isLeft = whole.left_version > known.head.complete_version;
  if (isLeft && !isLast) return known;
  const file = isLeft ? withoutGone(known, whole) : known;
  const newer = whole.accounts.filter((account) => isNewer(file.accounts, account, isLast));
  const missing = whole.inquiries.filter(({ inquiry_id, voided, duplicate }) => {
    const known = file.inquiries.get(inquiry_id);
    return known?.voided !== voided || known.duplicate !== duplicate;
  });
  const complete_version = Math.max(file.head.complete_version, whole.subject_version);
  if (
    newer.length === 0 &&
    missing.length === 0 &&
    complete_version === file.head.complete_version
  ) {
    return file;
  }
  const accounts = new Map(file.accounts);
  for (const account of newer) accounts.set(account.facts.account_id, account);
  const inquiries = new Map(file.inquiries);
  for (const inquiry of missing) inquiries.set(inquiry.inquiry_id, inquiry);
  const head = settle({ ...file.head, complete_version });
  return { head, accounts, inquiries };
}

/** The file without what the whole of a version as new has no more. */
function withoutGone(file: SubjectFile, { accounts, inquiries }: WholeSubject): SubjectFile {
  const account_ids = new Set(accounts.map(({ facts }) => facts.account_id));
  const inquiry_ids = new Set(inquiries.map(({ inquiry_id }) => inquiry_id));
  return {
    ...file,
    accounts: new Map([...file.accounts].filter(([id]) => account_ids.has(id))),
    inquiries: new Map([...file.inquiries].filter(([id]) => inquiry_ids.has(id))),
  };
}

/** True when records that were on the file before are not any more. */
export function hasLost(before: SubjectFile, after: SubjectFile): boolean {
  return (
    [...before.accounts.keys()].some((id) => !after.accounts.has(id)) ||
    [...before.inquiries.keys()].some((id) => !after.inquiries.has(id))
  );
}

/** Nothing is known to be missing, so that what is in makes one state of the subject. */
export function isWhole({ early_versions }: SubjectHead): boolean {
  return early_versions.length === 0;
}

function withVersion(head: SubjectHead, version: number): SubjectHead {
  const { complete_version, early_versions: early } = head;
  if (version <= complete_version || early.includes(version)) return head;
  // A gap this old will not close by itself: the whole subject has to be looked at.
  if (version > complete_version + 1 && early.length >= MAX_EARLY_VERSIONS) return head;
  const early_versions = [...early, version].sort((a, b) => a - b);
  return settle({ ...head, early_versions });
}

/** Moves the complete version over early ones that it now reaches. */
function settle(head: SubjectHead): SubjectHead {
  let { complete_version } = head;
  for (const version of head.early_versions) {
    if (version === complete_version + 1) complete_version = version;
  }
  const early_versions = head.early_versions.filter((version) => version > complete_version);
  return { ...head, complete_version, early_versions };
}

/** The newest change that is in. */
function newestVersion({ complete_version, early_versions }: SubjectHead): number {
  return early_versions.at(-1) ?? complete_version;
}

/**
 * An account of the same version is another one when reporting has folded it by newer rules: it then
 * tells it again, as the subject's last change.
 */
function isNewer(
  accounts: ReadonlyMap<string, ProjectedAccount>,
  { version, facts }: ProjectedAccount,
  isLast: boolean,
): boolean {
  const known = accounts.get(facts.account_id);
  if (known === undefined || version > known.version) return true;
  return isLast && version === known.version && textOf(facts) !== textOf(known.facts);
}

const YEAR_DAYS = 366;

/** True when a file of the same version holds the very facts that reporting has. */
export function saysTheSame(file: SubjectFile, whole: WholeSubject, today: number): boolean {
  if (file.accounts.size !== whole.accounts.length) return false;
  for (const { version, facts } of whole.accounts) {
    const known = file.accounts.get(facts.account_id);
    if (known === undefined || known.version !== version) return false;
    if (textOf(known.facts) !== textOf(facts)) return false;
  }
  const counted = whole.inquiries.filter(
    ({ inquiry_type, duplicate, voided, day }) =>
      inquiry_type === 'HARD' && !duplicate && !voided && day > today - YEAR_DAYS,
  );
  const known = [...file.inquiries.values()].filter(({ voided }) => !voided);
  if (counted.length !== known.length) return false;
  return counted.every((inquiry) => {
    const same = file.inquiries.get(inquiry.inquiry_id);
    return same?.voided === false && same.purpose === inquiry.purpose && same.day === inquiry.day;
  });
}

/** The same facts give the same text, whatever order their fields are in. */
function textOf(facts: AccountFacts): string {
  return JSON.stringify(facts, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
