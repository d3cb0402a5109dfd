// Why and how a subject's file is looked at.

import { invalid } from '@credit/platform/errors';
import { CONSENT_REFERENCE } from '@credit/platform/values';
import type { InquiryType, Purpose } from './vocabulary';

interface PurposeRule {
  readonly inquiry_types: readonly [InquiryType, ...InquiryType[]];
  /**
   * Who alone may look: an institution that has an account of its own with the subject, or one by whose
   * hand the subject has asked for its file. Anybody without it.
   */
  readonly needs?: 'OWN_ACCOUNT' | 'REQUEST';
}

// The first type of a purpose is its default.
const RULES: Readonly<Record<Purpose, PurposeRule>> = {
  NEW_CREDIT_APPLICATION: { inquiry_types: ['HARD', 'SOFT'] },
  CREDIT_LIMIT_INCREASE: { inquiry_types: ['HARD', 'SOFT'] },
  REFINANCING: { inquiry_types: ['HARD', 'SOFT'] },
  GUARANTOR_ASSESSMENT: { inquiry_types: ['HARD', 'SOFT'] },
  PREQUALIFICATION: { inquiry_types: ['SOFT'] },
  ACCOUNT_REVIEW: { inquiry_types: ['SOFT'], needs: 'OWN_ACCOUNT' },
  COLLECTION: { inquiry_types: ['SOFT'], needs: 'OWN_ACCOUNT' },
  IDENTITY_VERIFICATION: { inquiry_types: ['SOFT'] },
  FRAUD_PREVENTION: { inquiry_types: ['SOFT'] },
  COUNTERPARTY_CHECK: { inquiry_types: ['SOFT'] },
  SUBJECT_REQUEST: { inquiry_types: ['SOFT'], needs: 'REQUEST' },
};

/** What becomes of a look at a file that is frozen for its institution. */
type UnderFreeze = 'REFUSED' | 'PASSES' | 'PASSES_WITH_OWN_ACCOUNT';

// A freeze is there so that nobody takes up credit in the person's name: what serves an account that
// there is, or the same end, passes.
const UNDER_FREEZE: Readonly<Record<Purpose, UnderFreeze>> = {
  NEW_CREDIT_APPLICATION: 'REFUSED',
  CREDIT_LIMIT_INCREASE: 'PASSES_WITH_OWN_ACCOUNT',
  REFINANCING: 'REFUSED',
  GUARANTOR_ASSESSMENT: 'REFUSED',
  PREQUALIFICATION: 'REFUSED',
  ACCOUNT_REVIEW: 'PASSES',
  COLLECTION: 'PASSES',
  IDENTITY_VERIFICATION: 'PASSES',
  FRAUD_PREVENTION: 'PASSES',
  COUNTERPARTY_CHECK: 'REFUSED',
  SUBJECT_REQUEST: 'PASSES',
};

/** An inquiry on record. */
export interface Inquiry {
  readonly id: string;
  readonly subject_id: string;
  readonly institution_id: string;
  readonly purpose: Purpose;
  readonly inquiry_type: InquiryType;
  /** The earlier inquiry that this one repeats; it then has no effect on the score. */
  readonly duplicate_of?: string | undefined;
  readonly subject_version: number;
  readonly created_at_ms: number;
  /** When the outcome of a dispute took its effect away; it then repeats and hinders nothing. */
  readonly voided_at_ms?: number | undefined;
  /** How the institution names the consent that it had; its own business, and the person's. */
  readonly consent_reference?: string | undefined;
}

/** Why an inquiry showed nothing. */
export type InquiryRefusal = 'FILE_FROZEN';

/** An inquiry that was refused: on record, and of no effect on anything. */
export interface RefusedInquiry
  extends Pick<
    Inquiry,
    | 'id'
    | 'subject_id'
    | 'institution_id'
    | 'purpose'
    | 'inquiry_type'
    | 'created_at_ms'
    | 'consent_reference'
  > {
  readonly refusal: InquiryRefusal;
}

/** The same look within this time is a repetition. */
export const DUPLICATE_WINDOW_MS = 24 * 3_600_000;
/** A hard inquirer of this time has an application in progress and hears of defaults. */
export const APPLICATION_WINDOW_MS = 30 * 86_400_000;
/** Who looked within this time is told of a correction: as good as six months. */
export const TOLD_WINDOW_MS = 183 * 86_400_000;
/** Who looked within this time may follow how the score moves. */
export const FOLLOW_WINDOW_MS = 30 * 86_400_000;
/** For so long an institution whose access link a subject used may look at its request. */
export const REQUEST_WINDOW_MS = 30 * 86_400_000;
/** Inquiries are shown for this long. */
export const INQUIRY_MONTHS_SHOWN = 24;

/** The type of an inquiry by its purpose; 422 when the purpose does not allow the wanted one. */
export function inquiryTypeFor(purpose: Purpose, wanted: InquiryType | undefined): InquiryType {
  const { inquiry_types } = RULES[purpose];
  if (wanted === undefined) return inquiry_types[0];
  if (!inquiry_types.includes(wanted)) {
    throw invalid('inquiry_type', `${wanted} is not allowed for ${purpose}`);
  }
  return wanted;
}

/** The consent that a look names; 422 when it is none, or the look is one that takes none. */
export function consentFor(
  inquiry_type: InquiryType,
  consent_reference: string | undefined,
): string | undefined {
  if (consent_reference === undefined) return undefined;
  if (!CONSENT_REFERENCE.test(consent_reference)) {
    throw invalid('consent_reference', 'must be 1 to 100 visible characters');
  }
  if (inquiry_type !== 'HARD') throw invalid('consent_reference', 'goes with a HARD inquiry');
  return consent_reference;
}

export function needsOwnAccount(purpose: Purpose): boolean {
  return RULES[purpose].needs === 'OWN_ACCOUNT';
}

/** Whether a look takes a proof that the subject asked for it. */
export function needsRequest(purpose: Purpose): boolean {
  return RULES[purpose].needs === 'REQUEST';
}

/** Whether a look at a frozen file gets through by an account of one's own alone. */
export function passesByOwnAccount(purpose: Purpose): boolean {
  return UNDER_FREEZE[purpose] === 'PASSES_WITH_OWN_ACCOUNT';
}

/** Whether a look gets through a freeze. */
export function passesFreeze(purpose: Purpose, has_own_account: boolean): boolean {
  return UNDER_FREEZE[purpose] === 'PASSES' || (has_own_account && passesByOwnAccount(purpose));
}

/** Nothing that an outcome voids lies further back, unless it is named. */
export const VOIDABLE_DAYS = 90;

/** Which other inquiry each of these repeats, by id; in order of time, of one subject. */
export function duplicatesAmong(
  inquiries: readonly Inquiry[],
): ReadonlyMap<string, string | undefined> {
  const originals = new Map<string, Inquiry>();
  const known = new Set(inquiries.map(({ id }) => id));
  const duplicates = new Map<string, string | undefined>();
  for (const inquiry of inquiries) {
    // What is voided keeps what was said of it and hinders nothing after it.
    if (inquiry.voided_at_ms !== undefined) {
      duplicates.set(inquiry.id, inquiry.duplicate_of);
      continue;
    }
    if (inquiry.duplicate_of !== undefined && !known.has(inquiry.duplicate_of)) {
      // It repeats one from before all of these, on which nothing changes.
      duplicates.set(inquiry.id, inquiry.duplicate_of);
      continue;
    }
    const kind = `${inquiry.institution_id}:${inquiry.purpose}:${inquiry.inquiry_type}`;
    const original = originals.get(kind);
    const repeats =
      original !== undefined &&
      inquiry.created_at_ms - original.created_at_ms < DUPLICATE_WINDOW_MS;
    duplicates.set(inquiry.id, repeats ? original.id : undefined);
    if (!repeats) originals.set(kind, inquiry);
  }
  return duplicates;
}

/** The inquiries as they read at a time: what was voided later counted then. */
export function inquiriesKnownAt(
  inquiries: readonly Inquiry[],
  known_at_ms: number,
): readonly Inquiry[] {
  if (
    inquiries.every(({ voided_at_ms }) => voided_at_ms === undefined || voided_at_ms <= known_at_ms)
  ) {
    return inquiries;
  }
  const known = inquiries.map((inquiry) =>
    (inquiry.voided_at_ms ?? 0) > known_at_ms ? { ...inquiry, voided_at_ms: undefined } : inquiry,
  );
  const duplicates = duplicatesAmong(known);
  return known.map((inquiry) => ({
    ...inquiry,
    duplicate_of: duplicates.get(inquiry.id),
  }));
}
