import { crc32 } from 'node:zlib';
import { Event } from '@credit/proto/events/v1/events';
import type { CallContext } from '../context';
import { newId } from '../core';
import type { Writer } from './queryable';
import { statement } from './statement';

/** What an event says: one of the payloads of credit.events.v1.Event. */
export type EventPayload = NonNullable<Event['payload']>;

/** An event to be written with the change that it tells of. */
export interface NewOutboxEvent {
  /** What order is kept for: the subject's id, or the institution's. */
  readonly partition_key: string;
  readonly payload: EventPayload;
}

/** Number of partitions; part of the NATS subject, so it never changes. */
export const PARTITION_COUNT = 16;

/** The partition that all events of a key share. */
export function partitionOf(key: string): number {
  return crc32(key) % PARTITION_COUNT;
}

/** An outbox row before it is written. */
export interface OutboxRow {
  readonly id: string;
  readonly partition: number;
  readonly type: string;
  readonly payload: Buffer;
}

/** Serialises an event with the context of the call that caused it. */
export function outboxRow(event: NewOutboxEvent, ctx: CallContext): OutboxRow {
  const id = newId();
  const message: Event = {
    id,
    environment: ctx.environment,
    created_at: new Date().toISOString(),
    request_id: ctx.request_id,
    traceparent: ctx.traceparent,
    payload: event.payload,
  };
  return {
    id,
    partition: partitionOf(event.partition_key),
    type: event.payload.$case,
    payload: Buffer.from(Event.encode(message).finish()),
  };
}

const INSERT_OUTBOX = statement(
  'outbox_insert',
  `INSERT INTO outbox (id, partition, type, payload)
   SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::text[], $4::bytea[])`,
);

/** Writes rows in one statement. */
export function insertOutbox(on: Writer, rows: readonly OutboxRow[]): void {
  on.write(INSERT_OUTBOX, [
    rows.map((row) => row.id),
    rows.map((row) => row.partition),
    rows.map((row) => row.type),
    rows.map((row) => row.payload),
  ]);
}
