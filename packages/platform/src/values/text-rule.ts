import { characterCount, isVisible, nameKey } from './texts';

/** Bounds of a text that people write, in characters. */
export interface TextRule {
  /** 1 unless said: what is given says something. */
  readonly min?: number;
  readonly max: number;
  /** A name is compared with others: its compared form is bounded too. */
  readonly is_name?: boolean;
}

const NUL = '\u0000';

/**
 * Why a text is refused, as the end of a sentence after its field's path; undefined when it is
 * right. PostgreSQL keeps no NUL, and UTF-8 no half of a surrogate pair.
 */
export function textFault(text: string, { min = 1, max, is_name }: TextRule): string | undefined {
  if (text.includes(NUL) || !text.isWellFormed()) {
    return 'must not hold NUL or half a surrogate pair';
  }
  // Counting is only needed when code units do not settle it already.
  const is_settled = text.length <= max && text.length >= 2 * min;
  const count = is_settled ? text.length : characterCount(text);
  // Compatible forms of some characters are long words.
  if (count < min || count > max || (is_name && characterCount(nameKey(text)) > 2 * max)) {
    return min === max ? `must have ${max} characters` : `must have ${min} to ${max} characters`;
  }
  return min > 0 && !isVisible(text) ? 'must not be blank' : undefined;
}

/** Tells of a text that is not as its rule says; one that is absent is fine. */
export function checkText(
  path: string,
  text: string | undefined,
  rule: TextRule,
  wrong: (path: string, message: string) => void,
): void {
  const fault = text === undefined ? undefined : textFault(text, rule);
  if (fault !== undefined) wrong(path, fault);
}

/**
 * Every text that people write into the network, and how long it may be: the public contract
 * publishes these bounds, and services check by them.
 */
export const TEXTS = {
  /** Of subjects. */
  subject_name: { max: 200, is_name: true },
  subject_number: { max: 100, is_name: true },
  distinct_note: { max: 1_000 },
  move_reason: { max: 1_000 },
  /** Of accounts and events. */
  external_account_id: { max: 200 },
  source_reference: { max: 200 },
  correction_reason: { max: 1_000 },
  certification: { max: 1_000 },
  /** Of inquiries. */
  consent_reference: { max: 100 },
  /** Of disputes. */
  dispute_description: { min: 20, max: 5_000 },
  dispute_opener: { max: 200 },
  dispute_resolution: { max: 5_000 },
  dispute_answer: { max: 5_000 },
  /** Of people about records of their files. */
  statement: { max: 600 },
  /** Of institutions and their people. */
  institution_name: { max: 200 },
  person_name: { max: 200 },
  api_key_name: { max: 100 },
  application_description: { max: 5_000 },
  review_note: { max: 2_000 },
  status_reason: { max: 2_000 },
  password: { min: 12, max: 128 },
  /** Of mappings of files. */
  mapping_name: { max: 64 },
  mapping_column: { max: 200 },
  mapping_field: { max: 100 },
  mapping_constant: { max: 500 },
  /** Of requests for contact. */
  contact_subject: { max: 200 },
  contact_message: { max: 5_000 },
  contact_answer: { max: 5_000 },
  /** Of anything. */
  link: { max: 2_000 },
  search: { min: 2, max: 100 },
} as const satisfies Readonly<Record<string, TextRule>>;

/**
 * How a reader of a file names the consent that it has: what can be seen in every log and on every
 * screen, with spaces within.
 */
export const CONSENT_REFERENCE = /^[!-~](?:[ -~]{0,98}[!-~])?$/;

/** Names by which mappings of files are kept: they stand in paths as they are. */
export const MAPPING_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
