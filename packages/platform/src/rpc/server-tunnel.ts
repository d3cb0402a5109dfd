import type {
  ClientFrame,
  ExchangeRequest,
  ExchangeResponse,
  ServerFrame,
} from '@credit/proto/rpc/v1/tunnel';
import { status as GrpcStatus, Metadata, type ServerDuplexStream } from '@grpc/grpc-js';

import { callersOf } from './caller-policy';
import { type Dispatcher, IncomingCall } from './dispatcher';
import { FrameQueue } from './frame-queue';
import { MAX_QUEUED_BYTES } from './limits';
import type { Failure } from './rpc-error';

/** The stream as grpc-js hands it to the handler of `Tunnel/Exchange`. */
export type ServerStream = ServerDuplexStream<ExchangeRequest, ExchangeResponse>;

const NO_METADATA: Record<string, string> = {};
const FRAME_OVERHEAD_BYTES = 64;

/** The server's end of one tunnel. */
export class ServerTunnel {
  readonly #stream: ServerStream;
  readonly #dispatcher: Dispatcher;
  readonly #callers: readonly string[];
  readonly #onClosed: () => void;
  readonly #queue: FrameQueue<ServerFrame>;
  readonly #calls = new Map<number, TunnelCall>();
  #client_done = false;
  #paused = false;
  #closed = false;

  constructor(stream: ServerStream, dispatcher: Dispatcher, onClosed: () => void) {
    this.#stream = stream;
    this.#dispatcher = dispatcher;
    this.#callers = callersOf(stream);
    this.#onClosed = onClosed;
    this.#queue = new FrameQueue(stream, () => this.#onWritten());
    stream.on('data', (batch: ExchangeRequest) => this.#onBatch(batch));
    stream.on('end', () => this.#onClientDone());
    stream.on('cancelled', () => this.#onStreamClosed());
    stream.on('close', () => this.#onStreamClosed());
    // Header frames at once: they tell the client that this peer has tunnels.
    stream.sendMetadata(new Metadata());
  }

  /** Asks the client to send no new call; it ends the stream when its calls are answered. */
  drain(): void {
    this.#queue.push({ call_id: 0, kind: { $case: 'drain', value: {} } }, FRAME_OVERHEAD_BYTES);
  }

  /** Ends the stream now; its calls end as cancelled here and as UNAVAILABLE at the client. */
  destroy(status: GrpcStatus, details: string): void {
    if (this.#closed) return;
    this.#stream.emit('error', Object.assign(new Error(details), { code: status, details }));
    this.#onStreamClosed();
  }

  /** Queues a call's last frame. */
  answer(call_id: number, kind: ServerFrame['kind'], size_bytes: number): void {
    this.#calls.delete(call_id);
    if (this.#closed) return;
    this.#queue.push({ call_id, kind }, size_bytes + FRAME_OVERHEAD_BYTES);
    if (!this.#paused && this.#queue.queued_bytes > MAX_QUEUED_BYTES) {
      // The client does not read: what it sends waits until it does.
      this.#paused = true;
      this.#stream.pause();
    }
  }

  #onBatch({ frames }: ExchangeRequest): void {
    const now_ms = Date.now();
    for (const frame of frames) {
      if (this.#closed) return;
      this.#onFrame(frame, now_ms);
    }
  }

  #onFrame({ call_id, kind }: ClientFrame, now_ms: number): void {
    switch (kind?.$case) {
      case 'call': {
        if (this.#calls.has(call_id)) {
          this.destroy(GrpcStatus.INVALID_ARGUMENT, 'the call id is already in use');
          return;
        }
        const { method, timeout_ms, metadata, request } = kind.value;
        const deadline_at_ms = timeout_ms === 0 ? Number.POSITIVE_INFINITY : now_ms + timeout_ms;
        const call = new TunnelCall(this, call_id, deadline_at_ms);
        this.#calls.set(call_id, call);
        this.#dispatcher.start(call, method, metadata, request, this.#callers);
        return;
      }
      case 'cancel': {
        const call = this.#calls.get(call_id);
        if (call === undefined) return;
        this.#calls.delete(call_id);
        call.cancel();
        this.#endIfDone();
        return;
      }
      case undefined:
        // A kind of frame from a newer client; it must be able to do without.
        return;
      default:
        kind satisfies never;
    }
  }

  #onWritten(): void {
    if (this.#paused && this.#queue.queued_bytes <= MAX_QUEUED_BYTES / 2) {
      this.#paused = false;
      this.#stream.resume();
    }
    this.#endIfDone();
  }

  #onClientDone(): void {
    this.#client_done = true;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#closed || !this.#client_done) return;
    if (this.#calls.size === 0 && this.#queue.idle) this.#stream.end();
  }

  #onStreamClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.close();
    for (const call of this.#calls.values()) call.cancel();
    this.#calls.clear();
    this.#onClosed();
  }
}

class TunnelCall extends IncomingCall {
  readonly #tunnel: ServerTunnel;
  readonly #call_id: number;

  constructor(tunnel: ServerTunnel, call_id: number, deadline_at_ms: number) {
    super(deadline_at_ms);
    this.#tunnel = tunnel;
    this.#call_id = call_id;
  }

  protected override sendReply(response: Buffer, metadata: ReadonlyMap<string, string>): void {
    const value = {
      response,
      metadata: metadata.size === 0 ? NO_METADATA : Object.fromEntries(metadata),
    };
    this.#tunnel.answer(this.#call_id, { $case: 'reply', value }, response.length);
  }

  protected override sendFailure(failure: Failure): void {
    const details = failure.error?.details ?? [];
    const size_bytes = details.reduce(
      (sum, detail) => sum + detail.path.length + detail.message.length,
      failure.message.length,
    );
    this.#tunnel.answer(this.#call_id, { $case: 'failure', value: failure }, size_bytes);
  }
}
