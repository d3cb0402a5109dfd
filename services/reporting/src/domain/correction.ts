// What corrections do to the records of an account: which of them stand, where, and which
// correction superseded the others. Records come in order of their sequence.

import { conflict, notFound } from '@credit/platform/errors';
import type { Place } from './account';
import { type EventRecord, isCorrectable } from './event';

export type RecordsById = ReadonlyMap<string, EventRecord>;

export function byId(records: readonly EventRecord[]): RecordsById {
  return new Map(records.map((record) => [record.id, record]));
}

/** The event that a chain of corrections is about. */
export function rootOf(record: EventRecord, ids: RecordsById): EventRecord {
  let root = record;
  while (root.supersedes_event_id !== null) root = targetOf(root, ids);
  return root;
}

function targetOf(correction: EventRecord, ids: RecordsById): EventRecord {
  const target = ids.get(correction.supersedes_event_id ?? '');
  if (target === undefined) throw new Error(`Event ${correction.id} supersedes an unknown one.`);
  return target;
}

/** Where the event, or what a replacing correction puts in place of `root`, stands. */
export function placeOf(record: EventRecord, root: EventRecord): Place {
  if (record.corrected_event_type === null) return record;
  return {
    occurred_at_ms: record.corrected_occurred_at_ms ?? root.occurred_at_ms,
    // The original's own, so that the order of corrections never decides between equal times.
    sequence: root.sequence,
  };
}

/** A record whose content counts, and where. */
export interface Standing {
  readonly record: EventRecord;
  readonly place: Place;
}

/** What is left standing, in no order, and by which correction the others are superseded. */
export interface Outcome {
  readonly standing: readonly Standing[];
  /** By the superseded record's sequence. */
  readonly superseded_by: ReadonlyMap<number, EventRecord>;
}

/** What the corrections of one event have come to. */
interface Slot {
  /** The event itself or the correction that replaces it; null when it is void. */
  readonly standing: EventRecord | null;
  readonly superseded_by: ReadonlyMap<number, EventRecord>;
}

/** Works corrections off in the order they were recorded. */
export function outcomeOf(records: readonly EventRecord[]): Outcome {
  const ids = byId(records);
  const slots = new Map<EventRecord, Slot>();
  // The slot as it was without a correction, for the day that one is corrected itself.
  const before = new Map<EventRecord, Slot>();
  for (const record of records) {
    const root = rootOf(record, ids);
    const slot = slots.get(root);
    if (slot === undefined) {
      slots.set(root, { standing: record, superseded_by: new Map() });
      continue;
    }
    before.set(record, slot);
    slots.set(root, corrected(slot, record, targetOf(record, ids), before));
  }
  const standing: Standing[] = [];
  const superseded_by = new Map<number, EventRecord>();
  for (const [root, slot] of slots) {
    if (slot.standing !== null) {
      standing.push({ record: slot.standing, place: placeOf(slot.standing, root) });
    }
    for (const [sequence, by] of slot.superseded_by) superseded_by.set(sequence, by);
  }
  for (const record of records) {
    // A correction that only voids still has a place of its own, for its balance.
    const voids = record.event_type === 'CORRECTION' && record.corrected_event_type === null;
    if (voids && !superseded_by.has(record.sequence)) standing.push({ record, place: record });
  }
  return { standing, superseded_by };
}

function corrected(
  slot: Slot,
  correction: EventRecord,
  target: EventRecord,
  before: ReadonlyMap<EventRecord, Slot>,
): Slot {
  const undoes = target.event_type === 'CORRECTION' && correction.corrected_event_type === null;
  // Voiding a correction brings back whatever stood before it.
  const base = undoes ? before.get(target) : slot;
  if (base === undefined) throw new Error(`Event ${target.id} was never applied.`);
  const replacement = correction.corrected_event_type === null ? null : correction;
  return {
    standing: undoes ? base.standing : replacement,
    superseded_by: new Map(base.superseded_by).set(target.sequence, correction),
  };
}

/** 404 or 409 unless the correction may supersede what it names. */
export function checkTarget(records: readonly EventRecord[], correction: EventRecord): void {
  const target = records.find((record) => record.id === correction.supersedes_event_id);
  if (target === undefined) throw notFound('The superseded event does not exist.');
  if (!isCorrectable(target.event_type)) {
    throw conflict(`${target.event_type} cannot be corrected.`);
  }
  if (target.superseded_by_event_id !== null) {
    throw conflict(
      `The event was corrected already; correct ${target.superseded_by_event_id} instead.`,
    );
  }
  if (target.event_type !== 'CORRECTION') return;
  // Once its event is revived and corrected anew, an old correction has nothing left to undo.
  const ids = byId(records);
  const root = rootOf(target, ids);
  const newest = records.findLast(
    (record) => record.event_type === 'CORRECTION' && rootOf(record, ids) === root,
  );
  if (newest !== undefined && newest !== target) {
    throw conflict(`A later correction, ${newest.id}, took its place; correct that one instead.`);
  }
}
