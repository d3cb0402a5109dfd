import { createHash } from 'node:crypto';
import { Event, EventGroup, EventHead } from '@credit/proto/events/v1/events';
import type { Environment } from '../context';
import { isUuid } from '../values';
import { asEnvironment, eventSubject, parseSubject } from './subjects';

// What a message of the stream holds: an event, or a group of them. Both ends of it.

/** A row of an outbox, as its relay takes it. */
export interface RelayRow {
  readonly partition: number;
  readonly id: string;
  readonly type: string;
  readonly payload: Buffer;
}

/** What is sent as one message. */
export interface Outgoing {
  /** The row's, or made of those of the group: the same id says the same rows in the same order. */
  readonly id: string;
  /** What keeps its order among other messages: only consumers of its type see it. */
  readonly lane: string;
  readonly subject: string;
  /** Of the request that caused the first event. */
  readonly traceparent: string;
  readonly payload: Uint8Array;
  readonly rows: readonly [RelayRow, ...RelayRow[]];
}

/** A row that no message can hold. */
export interface Unsendable {
  readonly lane: string;
  readonly row: RelayRow;
  readonly error: Error;
}

/** A message is begun anew beyond it; far below what a NATS server takes, 1 MiB unless told. */
const GROUP_BYTES = 64 * 1_024;

/**
 * Puts rows into messages, those of one type and environment together. The same rows make the same
 * messages again, and fewer of them from the front of a lane the same but for the last, which is what
 * lets a relay ask for one that it sent.
 */
export function messagesOf(
  rows: readonly RelayRow[],
  most_events: number,
): Array<Outgoing | Unsendable> {
  const messages: Array<Group | Unsendable> = [];
  const open = new Map<string, Group>();
  for (const row of rows) {
    const address = addressOf(row);
    if (address instanceof Error) {
      messages.push({ lane: row.type, row, error: address });
      continue;
    }
    const { environment, traceparent } = address;
    const lane = `${environment}.${row.type}`;
    const group = open.get(lane);
    const bytes = (group?.bytes ?? 0) + row.payload.length;
    if (group !== undefined && group.rows.length < most_events && bytes <= GROUP_BYTES) {
      group.rows.push(row);
      group.bytes = bytes;
      continue;
    }
    const begun: Group = { environment, lane, traceparent, rows: [row], bytes: row.payload.length };
    open.set(lane, begun);
    messages.push(begun);
  }
  return messages.map((message) => ('error' in message ? message : sealed(message)));
}

/** One row's own message, for one that its group was too large with, or that is asked for by its id. */
export function messageAlone(row: RelayRow): Outgoing | Unsendable {
  const [message] = messagesOf([row], 1);
  if (message === undefined) throw new Error('A row makes a message.');
  return message;
}

interface Group {
  readonly environment: Environment;
  readonly lane: string;
  readonly traceparent: string;
  readonly rows: [RelayRow, ...RelayRow[]];
  bytes: number;
}

function sealed({ environment, lane, traceparent, rows }: Group): Outgoing {
  const [first] = rows;
  const subject = eventSubject(environment, first.partition, first.type);
  const common = { lane, subject, traceparent, rows };
  if (rows.length === 1) return { ...common, id: first.id, payload: first.payload };
  const events = rows.map(({ partition, payload }) => ({ partition, event: payload }));
  return {
    ...common,
    id: uuidOf(rows.map((row) => row.id)),
    payload: EventGroup.encode({ events }).finish(),
  };
}

/** The same id for the same texts or bytes. */
function uuidOf(parts: ReadonlyArray<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const hex = hash.digest('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...groups, hex.slice(20, 32)].join('-');
}

/** Of the event and not of a loop: one outbox may hold both environments. */
function addressOf(row: RelayRow): { environment: Environment; traceparent: string } | Error {
  let head: EventHead;
  try {
    head = EventHead.decode(row.payload);
  } catch (cause) {
    return new Error('The event cannot be decoded.', { cause });
  }
  const environment = asEnvironment(head.environment);
  if (environment === undefined) return new Error('The event names no environment.');
  return { environment, traceparent: head.traceparent };
}

/** An event of a message, or why it is none. */
export type Incoming =
  | {
      readonly environment: Environment;
      readonly partition: number;
      readonly event: Event;
      /** As it came, with what this build does not know of it. */
      readonly payload: Uint8Array;
    }
  | { readonly error: Error; readonly id: string; readonly payload: Uint8Array };

/** The serialised events of a message, or of a dead letter that was one. */
function eventsIn(data: Uint8Array): Array<{ partition?: number; event: Uint8Array }> {
  const { events } = EventGroup.decode(data);
  return events.length > 0 ? events : [{ event: data }];
}

/** The events of a dead letter: of a group, where who wrote it knew of none. */
export function eventsOfLetter(payload: Uint8Array): Event[] {
  return eventsIn(payload).map(({ event }) => Event.decode(event));
}

/** What a message of the stream holds; one event that is none leaves the others as they are. */
export function readMessage(subject: string, message_id: string, data: Uint8Array): Incoming[] {
  // What comes after a slash tells apart what the relay sent of one message: see `send` there.
  const [base = ''] = message_id.split('/');
  const id = isUuid(base) ? base : uuidOf([data]);
  const refused = (error: Error): Incoming[] => [{ error, id, payload: data }];
  const address = parseSubject(subject);
  if (address === undefined) return refused(new Error(`The subject ${subject} is no event's.`));
  let events: ReturnType<typeof eventsIn>;
  try {
    events = eventsIn(data);
  } catch (cause) {
    return refused(new Error('The message cannot be decoded.', { cause }));
  }
  return events.map(({ partition = address.partition, event: payload }): Incoming => {
    const event = readEvent(address, payload);
    if (!(event instanceof Error)) {
      return { environment: address.environment, partition, event, payload };
    }
    return { error: event, id: events.length === 1 ? id : uuidOf([payload]), payload };
  });
}

function readEvent(
  { environment, type }: { environment: Environment; type: string },
  payload: Uint8Array,
): Event | Error {
  let event: Event;
  try {
    event = Event.decode(payload);
  } catch (cause) {
    return new Error('The event cannot be decoded.', { cause });
  }
  if (!isUuid(event.id)) return new Error('The event has no id.');
  if (event.payload?.$case !== type) return new Error(`The event is no ${type}.`);
  // An event must not cross over, whoever published it.
  if (asEnvironment(event.environment) !== environment) {
    return new Error(`The event of ${event.environment} came as one of ${environment}.`);
  }
  return event;
}
