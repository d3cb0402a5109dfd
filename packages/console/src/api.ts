import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationId, Operations, WireOf } from '@credit/contract';

/** What an operation is given, as its caller would write it; it is validated as from outside. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Of operations that replay. */
  readonly idempotency_key?: string;
  /** Of operations that take a file. */
  readonly upload?: FileOnItsWay;
}

/** A file that is taken in while it comes. */
export interface FileOnItsWay {
  /** A content type that the operation takes. */
  readonly type: string;
  readonly content: AsyncIterable<Buffer>;
}

/** For whom an operation is carried out. */
export interface Caller {
  /** The page's request: the reader's address is taken from it. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly request_id: string;
  /** The reader's access token; undefined for whoever is not signed in. */
  readonly token: string | undefined;
}

/** What an operation's answer holds. */
export interface Answer<Id extends OperationId> {
  readonly value: WireOf<Operations[Id]>;
  /** Of a list that goes on. */
  readonly next_cursor: string | undefined;
  /** Of a list that is counted. */
  readonly total_count: number | undefined;
}

/**
 * Carries out an operation that answers a document, and sends that as the answer of the caller's
 * request. Rejects with an AppError while another answer can still be given.
 */
export type Deliver = (operation: OperationId, given: Given, caller: Caller) => Promise<void>;

/** Carries out an operation of the API in process. Rejects with an AppError. */
export type Invoke = <Id extends OperationId>(
  operation: Id,
  given: Given,
  caller: Caller,
) => Promise<Answer<Id>>;
