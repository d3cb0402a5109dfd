import type { EventRecord } from './event';

/** An event and whose it is, as far as its log says it. */
export interface LoggedEvent {
  readonly institution_id: string;
  readonly subject_id: string;
  readonly account_id: string;
  readonly record: EventRecord;
}

const at = (at_ms: number | undefined) =>
  at_ms === undefined ? undefined : new Date(at_ms).toISOString();

/** Facts of an opening or a correction of one, by name: the order that they are stored in is none. */
function facts(values: object | undefined): string | undefined {
  if (values === undefined) return undefined;
  const written = Object.entries(values)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : (value ?? null)]);
  return JSON.stringify(Object.fromEntries(written));
}

/**
 * An event as it is hashed into its institution's log: all that was reported, and nothing that
 * follows from other events and so changes with them. Texts and nulls only, which is how a list
 * writes what is absent, so that every language writes it alike. Ids hold 74 bits of chance: who only has the hash cannot guess the content.
 */
export function entryText({ institution_id, subject_id, account_id, record }: LoggedEvent): string {
  return JSON.stringify([
    'credit-event/1',
    institution_id,
    subject_id,
    account_id,
    String(record.sequence),
    record.id,
    record.event_type,
    at(record.occurred_at_ms),
    at(record.reported_at_ms),
    record.amount_minor?.toString(),
    record.balance_after_minor?.toString(),
    record.source_reference,
    record.default_severity,
    record.supersedes_event_id,
    record.correction_reason,
    record.corrected_event_type,
    at(record.corrected_occurred_at_ms),
    facts(record.opening_dates),
    facts(record.corrected_terms),
    record.certification,
    record.by_network ? 'network' : 'furnisher',
  ]);
}

/** No id that was made at that time or later is below this one: ids are UUIDv7. */
export function firstIdAt(at_ms: number): string {
  const hex = Math.max(0, Math.floor(at_ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

/** When an id was made. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
