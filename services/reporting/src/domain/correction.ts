// What corrections do to the records of an account: which of them stand, where, and which
// correction superseded the others. Records come in order of their sequence.

import { conflict, invalid, notFound } from '@credit/platform/errors';
import type { Place } from './account';
import { type EventRecord, isCorrectable, type NewEvent } from './event';
import type { CorrectedTerms } from './terms';
import { isSuppression } from './vocabulary';

type RecordsById = ReadonlyMap<string, EventRecord>;

function byId(records: readonly EventRecord[]): RecordsById {
  return new Map(records.map((record) => [record.id, record]));
}

function targetOf(correction: EventRecord, ids: RecordsById): EventRecord {
  const target = ids.get(correction.supersedes_event_id ?? '');
  if (target === undefined) throw new Error(`Event ${correction.id} supersedes an unknown one.`);
  return target;
}

/** A record whose content counts, and where. */
export interface Standing {
  readonly record: EventRecord;
  readonly place: Place;
}

/** How an account was opened, as corrections have it. */
export interface StandingOpening {
  /** The ACCOUNT_OPENED itself or what corrects it; undefined when the account is void. */
  readonly record: EventRecord | undefined;
  readonly corrected_terms: CorrectedTerms;
  readonly balance_minor: bigint;
  /** A dispute leaves the account out until it is decided. */
  readonly suppressed: boolean;
}

/** What is left standing, in no order, and by which correction the others are superseded. */
export interface Outcome {
  readonly opening: StandingOpening;
  /** Without the opening. */
  readonly standing: readonly Standing[];
  /** By the superseded record's sequence. */
  readonly superseded_by: ReadonlyMap<number, EventRecord>;
  /** What the corrections of the event behind each record have come to, by the record's id. */
  readonly slots: ReadonlyMap<string, Slot>;
  /** The events behind what disputes leave out until they are decided. */
  readonly suppressed: ReadonlySet<EventRecord>;
  /** Where each record stood or stands, by its sequence. */
  readonly places: ReadonlyMap<number, Place>;
}

/** A list that grows at its front and shares its rest, for the longest chain keeps all its stages. */
interface Chain<Item> {
  readonly item: Item;
  readonly rest: Chain<Item> | undefined;
}

function* itemsOf<Item>(chain: Chain<Item> | undefined): Generator<Item> {
  for (let link = chain; link !== undefined; link = link.rest) yield link.item;
}

interface Succession {
  readonly superseded: EventRecord;
  readonly by: EventRecord;
}

/** What the corrections of one event have come to. */
export interface Slot {
  readonly root: EventRecord;
  /** The event itself or the correction that replaces it; undefined when it is void. */
  readonly standing: EventRecord | undefined;
  /** Where that stands, or where stood what is void now. */
  readonly place: Place;
  /** Corrections that may be corrected beside what stands: the last one, and whom it revived. */
  readonly tips: Chain<EventRecord> | undefined;
  /** The newest first, which counts where a record was superseded again. */
  readonly successions: Chain<Succession> | undefined;
  /** Of an opening. */
  readonly corrected_terms: CorrectedTerms;
  readonly balance_minor: bigint;
}

function untouched(root: EventRecord): Slot {
  return {
    root,
    standing: root,
    place: root,
    tips: undefined,
    successions: undefined,
    corrected_terms: {},
    balance_minor: root.balance_after_minor ?? 0n,
  };
}

/** The event that a record is about: itself, or where its chain of corrections begins. */
export function rootOf(record: EventRecord, records: readonly EventRecord[]): EventRecord {
  if (record.supersedes_event_id === undefined || isSuppression(record.event_type)) return record;
  const ids = byId(records);
  let root = record;
  while (root.supersedes_event_id !== undefined) root = targetOf(root, ids);
  return root;
}

/** True for a correction that puts something in the place of what it corrects. */
export function isReplacing(
  correction: Pick<NewEvent, 'corrected_event_type' | 'corrected_terms'>,
): boolean {
  return correction.corrected_event_type !== undefined || correction.corrected_terms !== undefined;
}

/** Works corrections off in the order they were recorded. */
export function outcomeOf(records: readonly EventRecord[]): Outcome {
  const ids = byId(records);
  // By the event that the chain is about.
  const chains = new Map<EventRecord, Slot>();
  // The slot as it was without a correction, for the day that one is corrected itself.
  const before = new Map<string, Slot>();
  const roots = new Map<string, EventRecord>();
  const places = new Map<number, Place>();
  // What each mark leaves out that has not been taken back.
  const marks = new Map<string, EventRecord>();
  for (const record of records) {
    const target = record.supersedes_event_id;
    if (target !== undefined && isSuppression(record.event_type))
      mark(marks, record, target, roots);
    if (target === undefined || isSuppression(record.event_type)) {
      roots.set(record.id, record);
      chains.set(record, untouched(record));
      places.set(record.sequence, record);
      continue;
    }
    const root = roots.get(target);
    const slot = root && chains.get(root);
    if (slot === undefined) throw new Error(`Event ${record.id} supersedes an unknown one.`);
    roots.set(record.id, slot.root);
    before.set(record.id, slot);
    const next = corrected(slot, record, targetOf(record, ids), before);
    chains.set(slot.root, next);
    places.set(record.sequence, isReplacing(record) ? next.place : record);
  }
  const suppressed = new Set(marks.values());
  const standing: Standing[] = [];
  const superseded_by = new Map<number, EventRecord>();
  let opening: StandingOpening | undefined;
  for (const slot of chains.values()) {
    for (const { superseded, by } of itemsOf(slot.successions)) {
      if (!superseded_by.has(superseded.sequence)) superseded_by.set(superseded.sequence, by);
    }
    if (slot.root.event_type === 'ACCOUNT_OPENED') {
      const { corrected_terms, balance_minor } = slot;
      opening = {
        record: slot.standing,
        corrected_terms,
        balance_minor,
        suppressed: suppressed.has(slot.root),
      };
    } else if (slot.standing !== undefined && !suppressed.has(slot.root)) {
      standing.push({ record: slot.standing, place: slot.place });
    }
  }
  if (opening === undefined) throw new Error('A timeline without an opening.');
  for (const record of records) {
    // A correction that only voids still has a place of its own, for its balance.
    const voids = record.event_type === 'CORRECTION' && !isReplacing(record);
    if (voids && !superseded_by.has(record.sequence)) standing.push({ record, place: record });
  }
  const slots = new Map<string, Slot>();
  for (const [id, root] of roots) {
    const slot = chains.get(root);
    if (slot !== undefined) slots.set(id, slot);
  }
  return { opening, standing, superseded_by, slots, suppressed, places };
}

/** Several disputes may leave the same out: it is back when the last of them is decided. */
function mark(
  marks: Map<string, EventRecord>,
  record: EventRecord,
  target: string,
  roots: ReadonlyMap<string, EventRecord>,
): void {
  if (record.event_type === 'EVENT_RESTORED') {
    marks.delete(target);
    return;
  }
  const root = roots.get(target);
  if (root === undefined) throw new Error(`Event ${record.id} leaves out an unknown one.`);
  marks.set(record.id, root);
}

function corrected(
  slot: Slot,
  correction: EventRecord,
  target: EventRecord,
  before: ReadonlyMap<string, Slot>,
): Slot {
  if (isReplacing(correction)) return replaced(slot, correction, target);
  // What the network voids is gone, and no older form of it returns.
  const undoes = target.event_type === 'CORRECTION' && !correction.by_network;
  if (!undoes) {
    const successions = displaced(slot, correction, target);
    return {
      ...slot,
      standing: undefined,
      tips: { item: correction, rest: undefined },
      successions,
    };
  }
  // Voiding a correction brings back whatever stood before it; what came after it stays as it is.
  const base = before.get(target.id);
  if (base === undefined) throw new Error(`Event ${target.id} was never applied.`);
  let successions = base.successions;
  // Of the last correction nothing came after.
  if (slot.tips?.item !== target) {
    const later = [...itemsOf(slot.successions)].filter(
      ({ superseded }) => superseded.sequence > target.sequence,
    );
    for (const item of later.reverse()) successions = { item, rest: successions };
  }
  return {
    ...base,
    tips: { item: correction, rest: base.tips },
    successions: { item: { superseded: target, by: correction }, rest: successions },
  };
}

function replaced(slot: Slot, correction: EventRecord, target: EventRecord): Slot {
  return {
    root: slot.root,
    standing: correction,
    place: {
      occurred_at_ms: correction.corrected_occurred_at_ms ?? slot.place.occurred_at_ms,
      // The event's own, so that the order of corrections never decides between equal times.
      sequence: slot.root.sequence,
    },
    tips: { item: correction, rest: undefined },
    successions: displaced(slot, correction, target),
    corrected_terms: { ...slot.corrected_terms, ...correction.corrected_terms },
    balance_minor: correction.balance_after_minor ?? slot.balance_minor,
  };
}

/** The target has the correction as its successor, and so has what stood beside the target. */
function displaced(slot: Slot, correction: EventRecord, target: EventRecord): Chain<Succession> {
  const rest = { item: { superseded: target, by: correction }, rest: slot.successions };
  return slot.standing === undefined || slot.standing === target
    ? rest
    : { item: { superseded: slot.standing, by: correction }, rest };
}

/**
 * 404, 409 or 422 unless the correction may supersede what it names. Of an account that was taken
 * off the file, only that can be corrected by its furnisher.
 */
export function checkTarget(records: readonly EventRecord[], correction: NewEvent): void {
  const target = records.find((record) => record.id === correction.supersedes_event_id);
  if (target === undefined) throw notFound('The superseded event does not exist.');
  if (!isCorrectable(target.event_type)) {
    throw conflict(`${target.event_type} cannot be corrected.`, { reason: 'NOT_CORRECTABLE' });
  }
  const { opening, slots, superseded_by } = outcomeOf(records);
  const slot = slots.get(target.id);
  if (slot === undefined) throw new Error(`Event ${target.id} was never applied.`);
  const ofOpening = slot.root.event_type === 'ACCOUNT_OPENED';
  if (opening.record === undefined && !ofOpening && !correction.by_network) {
    throw conflict('The account was taken off the file; only that can be corrected.', {
      reason: 'NOT_CORRECTABLE',
    });
  }
  const by = superseded_by.get(target.sequence);
  if (by !== undefined) {
    throw conflict(`The event was corrected already; correct ${by.id} instead.`, {
      reason: 'CORRECTED_ALREADY',
      existing_id: by.id,
    });
  }
  if (target !== slot.standing && ![...itemsOf(slot.tips)].includes(target)) {
    // Once its event is revived and corrected anew, an old correction has nothing left to undo.
    const newest = slot.tips?.item.id;
    throw conflict(`A later correction, ${newest}, took its place; correct that one instead.`, {
      reason: 'CORRECTED_ALREADY',
      existing_id: newest,
    });
  }
  if (ofOpening && correction.corrected_event_type !== undefined) {
    throw invalid(
      'corrected_event_type',
      'cannot replace an ACCOUNT_OPENED; see corrected_account',
    );
  }
  if (!ofOpening && correction.corrected_terms !== undefined) {
    throw invalid('corrected_account', 'is for a CORRECTION of ACCOUNT_OPENED only');
  }
}

/** What others than its furnisher are shown of a record: nothing of what disputes leave out for a time. */
export function shownToOthers(records: readonly EventRecord[]): readonly EventRecord[] {
  const left_out = leftOutOf(records);
  return left_out.size === 0 ? records : records.filter(({ id }) => !left_out.has(id));
}

/** The ids of what disputes leave out of a record for a time: facts, with all that was corrected about them. */
export function leftOutOf(records: readonly EventRecord[]): ReadonlySet<string> {
  const { slots, suppressed } = outcomeOf(records);
  if (suppressed.size === 0) return new Set();
  const is_left_out = ({ id }: EventRecord) => {
    const root = slots.get(id)?.root;
    return root !== undefined && suppressed.has(root);
  };
  return new Set(records.filter(is_left_out).map(({ id }) => id));
}

/** What a further correction of the event is to name: what stands, or the last correction. */
export function correctableOf(slot: Slot): EventRecord {
  return slot.standing ?? slot.tips?.item ?? slot.root;
}
