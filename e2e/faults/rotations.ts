import type { RotationName } from '@credit/local/rotate/rotations';
import type { Entry } from './journal';
import type { Stage } from './stage';
import { outcomeOf } from './timed';

/** How long a delivery may come after the answer that its event is about: a lease, and a machine that has work. */
export const LATE_MS = 10_000;

/** Changes a secret as an operator does: by the command that docs/SECRETS.md names. */
export async function rotate(what: RotationName, stage: Stage): Promise<void> {
  const { exit_code, output } = await stage.system.runScript('rotate/main', [what], stage.settings);
  if (exit_code !== 0) throw new Error(`${what} was not changed: ${output}`);
}

/** What rotations may not cost: from the first one on no request fails, and nobody is told late. */
export function* rotationProblems(entries: readonly Entry[]): Iterable<string> {
  const run = entries.find((entry) => entry.t === 'run');
  const rotations = (run?.faults ?? []).flatMap(({ fault }, number) =>
    fault.kind === 'rotate' ? [{ number, what: fault.what }] : [],
  );
  if (rotations.length === 0) return;
  const times = entries.filter((entry) => entry.t === 'fault');
  for (const { number, what } of rotations) {
    if (!times.some((one) => one.number === number && one.phase === 'ends')) {
      yield `${what} was not changed.`;
    }
  }
  const began_ms = Math.min(...times.map(({ at_ms }) => at_ms));
  const sent = new Map(entries.flatMap((entry) => (entry.t === 'sent' ? [[entry.id, entry]] : [])));
  for (const entry of entries) {
    if (entry.t !== 'got' || outcomeOf(entry) !== 'failed') continue;
    const { method, path: target, at_ms = 0 } = sent.get(entry.id) ?? {};
    if (entry.at_ms < began_ms) continue;
    yield `${method} ${target}, sent at ${at_ms} ms, failed with ${entry.status || entry.text}.`;
  }
  for (const { event_id, after_ms } of notices(entries)) {
    if (after_ms > LATE_MS) yield `${event_id} was told ${after_ms} ms after it was answered.`;
  }
}

/** How long after the answer to its report each notice came first, at each hook. */
export function notices(entries: readonly Entry[]): { event_id: string; after_ms: number }[] {
  const answered = new Map<string, number>();
  const kinds = new Map(
    entries.flatMap((entry) => (entry.t === 'sent' ? [[entry.id, entry.intent.kind]] : [])),
  );
  for (const entry of entries) {
    if (entry.t !== 'got' || entry.status !== 201 || kinds.get(entry.id) !== 'event') continue;
    const { id } = JSON.parse(entry.text) as { id: string };
    // A repetition is answered with the same bytes later.
    if (!answered.has(id)) answered.set(id, entry.at_ms);
  }
  const first = new Map<string, { event_id: string; after_ms: number }>();
  for (const entry of entries) {
    if (entry.t !== 'delivery' || entry.credit_event_id === undefined) continue;
    const answered_ms = answered.get(entry.credit_event_id);
    const place = `${entry.hook} ${entry.event_id}`;
    if (answered_ms === undefined || first.has(place)) continue;
    first.set(place, { event_id: entry.event_id, after_ms: entry.at_ms - answered_ms });
  }
  return [...first.values()];
}
