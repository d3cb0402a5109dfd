// Who accounts are reported about: what a subject must say of itself, how names are compared, and
// when a new subject looks like a known one.

import { type AppError, conflict, type ErrorDetail } from '@credit/platform/errors';
import { checkText, isUuid, nameKey, TEXTS } from '@credit/platform/values';
import type { OrganisationKind, SubjectType } from './vocabulary';

/** What a subject says of itself. */
export interface SubjectFields {
  readonly type: SubjectType;
  readonly game_uuid?: string | undefined;
  readonly current_username?: string | undefined;
  readonly forum_id?: string | undefined;
  readonly legal_name?: string | undefined;
  readonly registration_number?: string | undefined;
  readonly trading_name?: string | undefined;
  readonly organisation_kind?: OrganisationKind | undefined;
  readonly founded_at_ms?: number | undefined;
}

/** A subject before it is known to the network. */
export interface NewSubject extends SubjectFields {
  /** Says that a subject with the same name is another party. */
  readonly confirm_distinct: boolean;
  readonly distinct_note?: string | undefined;
}

/** A new subject as it came in: its type may be missing too. */
export type SubjectDraft = Omit<NewSubject, 'type'> & { readonly type: SubjectType | undefined };

/** A subject of the network. */
export interface Subject extends SubjectFields {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What a subject is found by and told apart with. */
export type IdentityKind =
  | 'game_uuid'
  | 'forum_id'
  | 'username'
  | 'registration_number'
  | 'legal_name';

/** A normalised value that identifies a subject. */
export interface Identity {
  readonly kind: IdentityKind;
  readonly key: string;
}

/** A known subject that shares an identity with a new one. */
export interface Holder extends Identity {
  readonly subject_id: string;
  /** The holder's own, normalised; absent when it has none. */
  readonly registration_key?: string | undefined;
  /** Given up, and kept for its subject a while. */
  readonly reserved: boolean;
}

const OF_INDIVIDUALS = ['game_uuid', 'current_username'] as const;
const OF_ORGANISATIONS = [
  'legal_name',
  'registration_number',
  'trading_name',
  'organisation_kind',
  'founded_at_ms',
] as const;

const FIELD_OF_IDENTITY = {
  game_uuid: 'game_uuid',
  forum_id: 'forum_id',
  username: 'current_username',
  registration_number: 'registration_number',
  legal_name: 'legal_name',
} as const satisfies Readonly<Record<IdentityKind, keyof SubjectFields>>;

/** The field that an identity was made of. */
export type IdentityField = (typeof FIELD_OF_IDENTITY)[IdentityKind];

/** What tells subjects of a type apart. */
const KINDS: Readonly<Record<SubjectType, readonly IdentityKind[]>> = {
  INDIVIDUAL: ['game_uuid', 'forum_id', 'username'],
  ORGANISATION: ['registration_number', 'legal_name'],
};

/** Numbers as they are compared: like names, without spaces. */
function normaliseNumber(text: string): string {
  return nameKey(text).replaceAll(' ', '');
}

/** What search results show. */
export function displayName(subject: SubjectFields): string {
  return subject.current_username ?? subject.trading_name ?? subject.legal_name ?? '';
}

/** The text that searches look into: one line per name, normalised. */
export function searchText(subject: SubjectFields): string {
  const names = [
    subject.current_username,
    subject.trading_name,
    subject.legal_name,
    subject.forum_id,
    subject.registration_number,
  ].flatMap((name) => (name === undefined ? [] : [nameKey(name)]));
  // A number is written with spaces and without.
  return [...new Set([...names, registrationKey(subject) ?? ''])].filter(Boolean).join('\n');
}

/** The new subject, or everything that is wrong with its shape. */
export function checkSubject(draft: SubjectDraft, now_ms: number): NewSubject | ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const wrong = (path: string, message: string) => details.push({ path, message });
  const { type } = draft;
  switch (type) {
    case undefined:
      wrong('type', 'is required');
      break;
    case 'INDIVIDUAL':
      for (const field of OF_INDIVIDUALS) {
        if (draft[field] === undefined) wrong(field, 'is required for INDIVIDUAL');
      }
      checkAbsent(draft, OF_ORGANISATIONS, 'ORGANISATION', wrong);
      break;
    case 'ORGANISATION':
      if (draft.legal_name === undefined) wrong('legal_name', 'is required for ORGANISATION');
      checkAbsent(draft, OF_INDIVIDUALS, 'INDIVIDUAL', wrong);
      break;
    default:
      unknownValue(type);
  }
  if (draft.game_uuid !== undefined && !isUuid(draft.game_uuid))
    wrong('game_uuid', 'must be a UUID');
  checkNames(draft, wrong);
  checkText('legal_name', draft.legal_name, TEXTS.subject_name, wrong);
  checkText('registration_number', draft.registration_number, TEXTS.subject_number, wrong);
  if ((draft.founded_at_ms ?? now_ms) > now_ms) wrong('founded_at', 'must not be in the future');
  if (details.length > 0 || type === undefined) return details;
  return { ...draft, type, game_uuid: draft.game_uuid?.toLowerCase() };
}

type Wrong = (path: string, message: string) => void;

/** What a subject may change of itself later. */
function checkNames(names: Rename, wrong: Wrong): void {
  checkText('current_username', names.current_username, TEXTS.subject_name, wrong);
  checkText('forum_id', names.forum_id, TEXTS.subject_number, wrong);
  checkText('trading_name', names.trading_name, TEXTS.subject_name, wrong);
  checkText('distinct_note', names.distinct_note, TEXTS.distinct_note, wrong);
  if (names.confirm_distinct && names.distinct_note === undefined) {
    wrong('distinct_note', 'is required with confirm_distinct');
  }
}

function checkAbsent(
  draft: SubjectDraft,
  fields: readonly (keyof SubjectDraft)[],
  type: SubjectType,
  wrong: Wrong,
): void {
  for (const field of fields) {
    if (draft[field] !== undefined) wrong(field.replace(/_ms$/, ''), `is for ${type} only`);
  }
}

/** Names to change; what is absent stays as it is. */
export interface Rename {
  readonly current_username?: string | undefined;
  readonly forum_id?: string | undefined;
  readonly trading_name?: string | undefined;
  readonly confirm_distinct: boolean;
  readonly distinct_note?: string | undefined;
}

export const RENAMABLE = ['current_username', 'forum_id', 'trading_name'] as const;

/** A name before and after. */
export interface ChangedName {
  readonly field: (typeof RENAMABLE)[number];
  readonly from?: string | undefined;
  readonly to: string;
}

/** Everything that is wrong with the shape of a renaming. */
export function checkRename(rename: Rename): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const wrong = (path: string, message: string) => details.push({ path, message });
  if (RENAMABLE.every((field) => rename[field] === undefined)) {
    wrong('', `needs one of ${RENAMABLE.join(', ')}`);
  }
  checkNames(rename, wrong);
  return details;
}

/** The subject under its new names, and what changes; 422 for a name of the other type. */
export function renamed(
  subject: Subject,
  rename: Rename,
): { fields: NewSubject; changes: ChangedName[] } | ErrorDetail[] {
  const foreign = subject.type === 'INDIVIDUAL' ? 'trading_name' : 'current_username';
  if (rename[foreign] !== undefined) {
    const other = subject.type === 'INDIVIDUAL' ? 'ORGANISATION' : 'INDIVIDUAL';
    return [{ path: foreign, message: `is for ${other} only` }];
  }
  const changes = RENAMABLE.flatMap((field): ChangedName[] => {
    const to = rename[field];
    return to === undefined || to === subject[field] ? [] : [{ field, from: subject[field], to }];
  });
  const names = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  const { confirm_distinct, distinct_note } = rename;
  return { fields: { ...subject, ...names, confirm_distinct, distinct_note }, changes };
}

/** Current names come first; of former ones searches know this many. */
const MAX_SEARCHED_NAMES = 40;

/** The text that searches look into once a subject has other names: old names stay in it. */
export function searchTextAfter(before: string, subject: SubjectFields): string {
  const names = new Set([...searchText(subject).split('\n'), ...before.split('\n')]);
  return [...names].slice(0, MAX_SEARCHED_NAMES).join('\n');
}

/** What the subject is told apart with. An organisation's forum id tells nobody apart. */
export function identitiesOf(subject: SubjectFields): Identity[] {
  return identitiesBy(subject, nameKey);
}

function identitiesBy(subject: SubjectFields, keyOf: (name: string) => string): Identity[] {
  return KINDS[subject.type].flatMap((kind): Identity[] => {
    const name = subject[FIELD_OF_IDENTITY[kind]];
    if (name === undefined) return [];
    if (kind === 'game_uuid') return [{ kind, key: name }];
    const key = keyOf(name);
    return [{ kind, key: kind === 'registration_number' ? key.replaceAll(' ', '') : key }];
  });
}

/** The same as they were compared before characters that cannot be seen were dropped. */
export function identitiesOfBefore(subject: SubjectFields): Identity[] {
  return identitiesBy(subject, (name) => {
    const characters = [...name.normalize('NFKC')].map((character) =>
      character === '\u0131' ? character : foldCase(foldCase(character)),
    );
    return characters.join('').normalize('NFKC').replace(/\s+/gu, ' ').trim();
  });
}

function foldCase(character: string): string {
  return character.toUpperCase().toLowerCase();
}

/** What an identity was made of; empty when the subject has no such name. */
export function nameOf(subject: SubjectFields, kind: IdentityKind): string {
  return subject[FIELD_OF_IDENTITY[kind]] ?? '';
}

export function registrationKey(subject: SubjectFields): string | undefined {
  return subject.registration_number && normaliseNumber(subject.registration_number);
}

/** What a known subject and a new one have in common. */
export interface Likeness {
  readonly subject_id: string;
  readonly field: IdentityField;
  /** The known one gave it up a short while ago. */
  readonly reserved: boolean;
}

/** What a subject is to the network: nobody yet, somebody on file, or a question for people. */
export type Recognition =
  | { readonly kind: 'new' }
  | { readonly kind: 'existing'; readonly subject_id: string; readonly likenesses: Likenesses }
  | { readonly kind: 'needs_review'; readonly likenesses: Likenesses };

export type Likenesses = readonly [Likeness, ...Likeness[]];

/** What must all be the same for a subject to be one on file. Names of individuals change hands. */
const PROOF: Readonly<Record<SubjectType, readonly IdentityKind[]>> = {
  INDIVIDUAL: ['game_uuid'],
  ORGANISATION: ['registration_number', 'legal_name'],
};

/** Whether an identity alone says which subject on file is meant. */
export function isProof({ kind }: Identity): boolean {
  return Object.values(PROOF).some(([anchor]) => anchor === kind);
}

const isName = ({ kind }: Identity) => kind === 'username' || kind === 'legal_name';

/**
 * Finds the subject among those that share an identity with it. Names recur: they pass once
 * confirmed as another party's; what identifies for good never does, and when that points to
 * two subjects, or to one that is another by its name, nothing is merged.
 */
export function recognise(subject: NewSubject, holders: readonly Holder[]): Recognition {
  const [first, ...more] = holders
    .filter((holder) => isInTheWay(subject, holder))
    .map(({ kind, subject_id, reserved }): Likeness => {
      return { subject_id, field: FIELD_OF_IDENTITY[kind], reserved };
    });
  if (first === undefined) return { kind: 'new' };
  const likenesses: Likenesses = [first, ...more];
  const [anchor, ...more_proof] = PROOF[subject.type];
  const owns = (subject_id: string, kind: IdentityKind) =>
    holders.some(
      (holder) => holder.subject_id === subject_id && holder.kind === kind && !holder.reserved,
    );
  // Only those that hold the anchor are looked at: of a name there may be very many.
  const subject_id = holders.find(
    (holder) =>
      holder.kind === anchor &&
      !holder.reserved &&
      more_proof.every((kind) => owns(holder.subject_id, kind)),
  )?.subject_id;
  const isDoubtful = holders.some((holder) => !isName(holder) && holder.subject_id !== subject_id);
  if (subject_id === undefined || isDoubtful) return { kind: 'needs_review', likenesses };
  return { kind: 'existing', subject_id, likenesses };
}

function isInTheWay(subject: NewSubject, holder: Holder): boolean {
  if (isName(holder) && subject.confirm_distinct) return false;
  const own_registration = registrationKey(subject);
  const registrationsDiffer =
    own_registration !== undefined &&
    holder.registration_key !== undefined &&
    own_registration !== holder.registration_key;
  return !(holder.kind === 'legal_name' && registrationsDiffer);
}

/** What is the same, in words, and what can be done about it. */
export function likenessText({ subject_id, field, reserved }: Likeness): string {
  const named = field === 'current_username' || field === 'legal_name';
  const hint = named ? ' Confirm with confirm_distinct that it is another party.' : '';
  const holds = reserved ? 'gave up a short while ago' : 'has';
  return `Subject ${subject_id} ${holds} the same ${field}.${hint}`;
}

/** 409 of a subject that is like one on file. */
export function duplicate([first]: Likenesses): AppError {
  return conflict(likenessText(first), {
    reason: 'DUPLICATE_SUBJECT',
    existing_id: first.subject_id,
  });
}

function unknownValue(value: never): never {
  throw new Error(`Unknown value ${String(value)}.`);
}
