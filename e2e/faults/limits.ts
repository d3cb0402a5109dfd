// A limit of requests a minute over both gateways: as many pass as it says, and no other number.

import type { Case, Exchange } from './case';
import type { Entry } from './journal';
import type { Fault } from './plan';

/** Of a person at its own file, in a run. */
export const PERSON_PER_MINUTE = 40;
const MINUTE_MS = 60_000;
/** Counts are committed without waiting for the disk: a server that dies forgets its last moments. */
const FORGETTING: ReadonlySet<Fault['kind']> = new Set([
  'postgres_kill',
  'postgres_stop',
  'failover',
  'disk_full',
]);
const FORGOTTEN_MS = 2_000;

interface Span {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** What a request may count in: those of the clock's minutes that it was under way in. */
const minutesOf = ({ from_ms, to_ms }: Span, epoch_ms: number) => [
  Math.floor((epoch_ms + from_ms) / MINUTE_MS),
  Math.floor((epoch_ms + to_ms) / MINUTE_MS),
];

export function* limitProblems({ entries, exchanges }: Case): Iterable<string> {
  const clock = entries.find((entry) => entry.t === 'clock');
  if (clock === undefined) return;
  const limited = exchanges.filter(({ intent }) => intent.kind === 'limited');
  const forgotten = forgottenIn(entries);
  const spanned = limited.map((one) => {
    const [first = 0, last = 0] = minutesOf(
      { from_ms: one.sent_ms, to_ms: Math.min(one.got_ms, one.sent_ms + MINUTE_MS) },
      clock.epoch_ms,
    );
    return { one, first, last };
  });
  for (const minute of new Set(spanned.map(({ first }) => first))) {
    const touching = spanned.filter(({ first, last }) => first <= minute && minute <= last);
    const within = touching.filter(({ first, last }) => first === last).map(({ one }) => one);
    const passed = within.filter(isPassed);
    const given_back = passed.filter(({ got_ms }) =>
      forgotten.some(({ from_ms, to_ms }) => got_ms >= from_ms && got_ms <= to_ms),
    ).length;
    if (passed.length > PERSON_PER_MINUTE + given_back) {
      yield `${passed.length} requests passed in a minute, of ${PERSON_PER_MINUTE}.`;
    }
    // Whoever is refused has used the limit up, as far as anybody can tell.
    const may_have = touching.filter(({ one }) => one.status !== 429).length;
    if (within.some(({ status }) => status === 429) && may_have < PERSON_PER_MINUTE) {
      yield `a request was refused when at most ${may_have} had passed, of ${PERSON_PER_MINUTE}.`;
    }
  }
}

const isPassed = ({ status }: Exchange) => status >= 200 && status < 300;

/** When what was counted may have been forgotten. */
function forgottenIn(entries: readonly Entry[]): Span[] {
  const planned = entries.find((entry) => entry.t === 'run')?.faults ?? [];
  const times = entries.filter((entry) => entry.t === 'fault');
  return times.flatMap(({ at_ms, number, phase }) => {
    const kind = planned[number]?.fault.kind;
    if (phase !== 'begins' || kind === undefined || !FORGETTING.has(kind)) return [];
    const end = times.find((one) => one.number === number && one.phase === 'ends');
    return [{ from_ms: at_ms - FORGOTTEN_MS, to_ms: end?.at_ms ?? Infinity }];
  });
}
