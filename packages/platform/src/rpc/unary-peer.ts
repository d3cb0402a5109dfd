import {
  type Client,
  type ClientUnaryCall,
  status as GrpcStatus,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';

import type { OutgoingCall, Peer } from './outgoing-call';
import {
  decodeErrorTrailer,
  ERROR_TRAILER,
  type Failure,
  restoreError,
  transportError,
} from './rpc-error';

/** Sends calls as plain unary gRPC, one HTTP/2 stream each. */
export class UnaryPeer implements Peer {
  readonly #client: Client;
  readonly #calls = new Map<OutgoingCall, ClientUnaryCall>();
  #retired = false;

  /** The client becomes the peer's own. */
  constructor(client: Client) {
    this.#client = client;
  }

  get accepting(): boolean {
    return !this.#retired;
  }

  start(call: OutgoingCall): void {
    let metadata: Metadata;
    try {
      metadata = new Metadata();
      for (const key of Object.keys(call.metadata)) metadata.set(key, call.metadata[key] ?? '');
    } catch (error) {
      call.fail(transportError(GrpcStatus.INTERNAL, `${call.path}: ${error}`));
      return;
    }
    // The answer comes just before its trailers; the call ends when both are here.
    let answer: Buffer | undefined;
    const sent = this.#client.makeUnaryRequest(
      call.path,
      sameBytes,
      sameBytes,
      call.request,
      metadata,
      { deadline: call.deadline_at_ms },
      (error, response) => {
        answer = response;
        if (error === null) return;
        this.#ended(call);
        call.fail(restoreError(failureFrom(error), call.path));
      },
    );
    sent.on('status', ({ metadata: trailers }) => {
      if (answer === undefined) return;
      this.#ended(call);
      call.succeed(answer, asciiEntries(trailers));
    });
    this.#calls.set(call, sent);
  }

  cancel(call: OutgoingCall): void {
    this.#calls.get(call)?.cancel();
  }

  /** Takes no new calls and closes when those in flight are done. */
  retire(): void {
    this.#retired = true;
    if (this.#calls.size === 0) this.#client.close();
  }

  /** Ends at once; calls in flight fail as UNAVAILABLE. */
  close(): void {
    this.#retired = true;
    const calls = [...this.#calls];
    this.#calls.clear();
    for (const [call, sent] of calls) {
      call.fail(transportError(GrpcStatus.UNAVAILABLE, `${call.path}: the channel was closed`));
      sent.cancel();
    }
    this.#client.close();
  }

  #ended(call: OutgoingCall): void {
    this.#calls.delete(call);
    if (this.#retired && this.#calls.size === 0) this.#client.close();
  }
}

function failureFrom({ code, details, metadata }: ServiceError): Failure {
  const [trailer] = metadata.get(ERROR_TRAILER);
  const error = decodeErrorTrailer(trailer);
  // We tell our own cancellations before they come back as a status: this one is a
  // server that went away with the stream open.
  const abandoned = code === GrpcStatus.CANCELLED && error === undefined;
  return { status: abandoned ? GrpcStatus.UNAVAILABLE : code, message: details, error };
}

function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}

function* asciiEntries(metadata: Metadata): Generator<[string, string]> {
  for (const [key, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') yield [key, value];
  }
}
