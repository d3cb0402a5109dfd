// How pages show accounts and events, and read what people type of them.

import { meaningsOf, type Operations, type WireOf } from '@credit/contract';
import { AccountStatus } from '@credit/proto/reporting/v1/types';
import type { FC } from 'hono/jsx';
import { Badge, type Choice, count, type Tone } from './components';
import { words } from './words';

/** Where the institution's own accounts are. */
export const ACCOUNTS = '/accounts';

export type Account = WireOf<Operations['getAccount']>;
export type Event = WireOf<Operations['reportEvent']>;

const TONES: Readonly<Record<string, Tone>> = {
  CURRENT: 'good',
  PAID: 'good',
  PAST_DUE: 'warn',
  RESTRUCTURED: 'warn',
  DELINQUENT: 'bad',
  DEFAULTED: 'bad',
  WRITTEN_OFF: 'bad',
  DISPUTED: 'accent',
};

/** How an account stands, in a word; what that means on hover. */
export const Standing: FC<{ of: string }> = ({ of }) => (
  <span title={meaningsOf(AccountStatus)?.values[of]}>
    <Badge tone={TONES[of] ?? 'plain'}>{words(of)}</Badge>
  </span>
);

const BUCKETS: Readonly<Record<string, string>> = {
  EARLY: '1 to 29',
  DPD_30: '30 to 59',
  DPD_60: '60 to 89',
  DPD_90: '90 to 119',
  DPD_120_PLUS: '120 or more',
};

/** Days past due, with the range that they are in. */
export function daysPastDue({ days_past_due, bucket }: Pick<Account, 'days_past_due' | 'bucket'>) {
  const days = days_past_due === 1 ? '1 day' : `${count(days_past_due)} days`;
  const range = BUCKETS[bucket];
  return range === undefined ? days : `${days} (${range})`;
}

/** The values of a closed set as choices, each with what it means. */
export function choicesOf(values: object, without: readonly string[] = []): Choice[] {
  return Object.entries(meaningsOf(values)?.values ?? {})
    .filter(([value]) => !without.includes(value))
    .map(([value, hint]) => ({ value, label: words(value), hint }));
}

/** A yearly rate of basis points in per cent. */
export function rate(bps: number | null): string | undefined {
  return bps === null ? undefined : `${(bps / 100).toFixed(2)} % a year`;
}

/** What an event says, in words: of a correction, what it does. */
export function eventName({ event_type, corrected_event_type, corrected_account }: Event): string {
  if (event_type !== 'CORRECTION') return words(event_type);
  if (corrected_event_type !== null) {
    return `Correction: ${words(corrected_event_type).toLowerCase()} instead`;
  }
  return corrected_account === null ? 'Correction: never happened' : 'Correction of the terms';
}

/** What somebody typed for an amount; what is none goes on as it is, to be refused beside its field. */
export function amountTyped(text: string | undefined): number | string | undefined {
  const plain = text?.replace(/(?<=\d)[, \u00a0\u202f](?=\d{3}(?!\d))/g, '');
  return plain !== undefined && /^-?\d{1,15}(\.\d{1,10})?$/.test(plain) ? Number(plain) : text;
}

/** What a browser's field gives for a moment, which the pages say in UTC. */
export function momentTyped(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
    ? `${text.length === 16 ? `${text}:00` : text}Z`
    : text;
}

/** A whole number that somebody typed. */
export function numberTyped(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** What an inquiry does to the score, in words. */
export function effectOfInquiry(inquiry: {
  readonly inquiry_type: string;
  readonly duplicate_of: string | null;
  readonly voided_at: string | null;
  readonly refusal?: string | null;
}): string {
  if (inquiry.refusal === 'FILE_FROZEN') return 'None: refused, the file was frozen';
  if (inquiry.voided_at !== null) return 'None: voided by a dispute';
  if (inquiry.duplicate_of !== null) return 'None: a repetition within 24 hours';
  return inquiry.inquiry_type === 'HARD' ? 'Counts for 12 months' : 'None';
}
