import type { Entry } from './journal';

/** A request by when it ended. */
export interface Timed {
  readonly sent_ms: number;
  readonly got_ms: number;
  readonly is_write: boolean;
  readonly took_ms: number;
  readonly outcome: 'answered' | 'failed' | 'refused';
}

/** In the order in which they ended. */
export function timedOf(entries: readonly Entry[]): Timed[] {
  const sent = new Map<number, Extract<Entry, { t: 'sent' }>>();
  const timed: Timed[] = [];
  for (const entry of entries) {
    if (entry.t === 'sent') sent.set(entry.id, entry);
    if (entry.t !== 'got') continue;
    const { at_ms: sent_ms = entry.at_ms, method = '' } = sent.get(entry.id) ?? {};
    timed.push({
      sent_ms,
      got_ms: entry.at_ms,
      is_write: method !== 'GET',
      took_ms: entry.at_ms - sent_ms,
      outcome: outcomeOf(entry),
    });
  }
  return timed;
}

export function outcomeOf({ status, text }: Extract<Entry, { t: 'got' }>): Timed['outcome'] {
  if (status === 0) return text === 'ECONNREFUSED' ? 'refused' : 'failed';
  return status < 500 ? 'answered' : 'failed';
}

/** The latest of some times, of which a long run has more than a call takes arguments. */
export function lastOf<T>(items: readonly T[], timeOf: (item: T) => number, least_ms = 0): number {
  return items.reduce((last_ms, item) => Math.max(last_ms, timeOf(item)), least_ms);
}

/** Of numbers in their order the one that a share of them does not exceed; 0.99 for the 99th percentile. */
export function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
