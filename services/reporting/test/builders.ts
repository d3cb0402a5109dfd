// Events and accounts for the domain's tests; whatever a test does not name is plain.

import type { EventDraft, EventRecord, NewEvent } from '../src/domain/event';
import type { OpeningDates } from '../src/domain/terms';
import { append, isAtHead, openTimeline, replay, type Timeline } from '../src/domain/timeline';
import type { EventType, UnderlyingStatus } from '../src/domain/vocabulary';

export const OPENED_AT_MS = Date.UTC(2025, 0, 15);
export const DAY_MS = 86_400_000;
/** Long after anything that a test reports. */
export const NOW_MS = Date.UTC(2026, 10, 28, 12);

/** A time some days after the account was opened. */
export function onDay(day: number): number {
  return OPENED_AT_MS + day * DAY_MS;
}

export function draft(event_type: EventType, overrides: Partial<EventDraft> = {}): EventDraft {
  return {
    event_type,
    occurred_at_ms: onDay(1),
    amount_minor: undefined,
    balance_after_minor: undefined,
    source_reference: undefined,
    default_severity: undefined,
    supersedes_event_id: undefined,
    correction_reason: undefined,
    corrected_event_type: undefined,
    corrected_occurred_at_ms: undefined,
    corrected_terms: undefined,
    certification: undefined,
    by_network: false,
    ...overrides,
  };
}

export function event(
  event_type: EventType,
  day: number,
  overrides: Partial<NewEvent> = {},
): NewEvent {
  return { ...draft(event_type), event_type, occurred_at_ms: onDay(day), ...overrides };
}

export function correctionOf(
  target: EventRecord,
  day: number,
  overrides: Partial<NewEvent> = {},
): NewEvent {
  return event('CORRECTION', day, {
    supersedes_event_id: target.id,
    correction_reason: 'entered wrongly',
    ...overrides,
  });
}

/** An account as the service keeps it: a state, its records, and history only when needed. */
export class Book {
  records: EventRecord[];
  timeline: Timeline;

  constructor(
    readonly opened: {
      status?: UnderlyingStatus;
      balance_minor?: bigint;
      organisation?: boolean;
      dates?: OpeningDates;
    } = {},
  ) {
    const { timeline, record } = openTimeline(
      {
        organisation: opened.organisation ?? false,
        status: opened.status ?? 'CURRENT',
        original_principal_minor: 100_000n,
        balance_minor: opened.balance_minor ?? (opened.status === 'PAID' ? 0n : 100_000n),
        opened_at_ms: OPENED_AT_MS,
        dates: opened.dates,
        certification: undefined,
      },
      { id: eventId(1), now_ms: NOW_MS - DAY_MS },
    );
    this.timeline = timeline;
    this.records = [record];
  }

  /** Takes the event as the service does; throws what the service would answer. */
  report(reported: NewEvent): EventRecord {
    const before = isAtHead(this.timeline.state, reported)
      ? { ...this.timeline, history: undefined }
      : {
          ...this.timeline,
          history: replay(this.records, this.timeline.state.organisation).history,
        };
    const stamp = { id: eventId(this.timeline.version + 1), now_ms: NOW_MS };
    const { timeline, record, amended } = append(before, reported, stamp);
    for (const changed of amended) this.records[changed.sequence - 1] = changed;
    this.records.push(record);
    this.timeline = timeline;
    return record;
  }

  record(sequence: number): EventRecord {
    const record = this.records[sequence - 1];
    if (record === undefined) throw new Error(`There is no record ${sequence}.`);
    return record;
  }

  get state() {
    return this.timeline.state;
  }
}

function eventId(sequence: number): string {
  return `00000000-0000-7000-8000-${String(sequence).padStart(12, '0')}`;
}
