import {
  type ClientFrame,
  type ExchangeRequest,
  type ExchangeResponse,
  type ServerFrame,
  TunnelDefinition,
} from '@credit/proto/rpc/v1/tunnel';
import {
  type Client,
  type ClientDuplexStream,
  status as GrpcStatus,
  Metadata,
  type StatusObject,
} from '@grpc/grpc-js';

import { FrameQueue } from './frame-queue';
import { MAX_QUEUED_BYTES } from './limits';
import type { OutgoingCall } from './outgoing-call';
import { restoreError, transportError } from './rpc-error';
import { encoded } from './service';

/** What becomes of a tunnel, for whoever keeps it. */
export interface TunnelEvents {
  /** The peer answered: calls may start. */
  onReady(): void;
  /** The peer wants no new calls here; those in flight go on. */
  onDraining(): void;
  /** The stream is over and its calls have ended. */
  onClosed(status: StatusObject): void;
}

/** Where every server takes tunnels. */
export const TUNNEL_PATH = `/${TunnelDefinition.fullName}/${TunnelDefinition.methods.exchange.name}`;

const MAX_CALL_ID = 0xffff_ffff;
const MAX_TIMEOUT_MS = 0xffff_ffff;
const FRAME_OVERHEAD_BYTES = 512;

/** The client's end of one tunnel: one stream on a connection of its own. */
export class TunnelPeer {
  readonly #events: TunnelEvents;
  readonly #stream: ClientDuplexStream<ExchangeRequest, ExchangeResponse>;
  readonly #queue: FrameQueue<ClientFrame>;
  readonly #calls = new Map<number, OutgoingCall>();
  #last_id = 0;
  #state: 'connecting' | 'ready' | 'draining' | 'ending' | 'closed' = 'connecting';

  /** Opens the tunnel. The client is not closed with it. */
  constructor(client: Client, events: TunnelEvents) {
    this.#events = events;
    const { exchange } = TunnelDefinition.methods;
    this.#stream = client.makeBidiStreamRequest(
      TUNNEL_PATH,
      (batch: ExchangeRequest) => encoded(exchange.requestType, batch),
      (bytes) => exchange.responseType.decode(bytes),
      new Metadata(),
      {},
    );
    this.#queue = new FrameQueue(this.#stream, () => this.#endIfDone());
    this.#stream.on('metadata', () => this.#onReady());
    this.#stream.on('data', (batch: ExchangeResponse) => {
      for (const frame of batch.frames) this.#onFrame(frame);
    });
    // The status says the same, and comes for a clean end too.
    this.#stream.on('error', () => {});
    this.#stream.on('status', (status: StatusObject) => this.#onStatus(status));
  }

  /** False when it takes no new calls at the moment, or never again. */
  get accepting(): boolean {
    return this.#state === 'ready' && this.#queue.queued_bytes < MAX_QUEUED_BYTES;
  }

  /** Sends the call. */
  start(call: OutgoingCall): void {
    call.id = this.#nextId();
    this.#calls.set(call.id, call);
    const timeout_ms = Math.ceil(call.deadline_at_ms - Date.now());
    const frame: ClientFrame = {
      call_id: call.id,
      kind: {
        $case: 'call',
        value: {
          method: call.path,
          timeout_ms: Math.min(Math.max(timeout_ms, 1), MAX_TIMEOUT_MS),
          metadata: call.metadata,
          request: call.request,
        },
      },
    };
    this.#queue.push(frame, call.request.length + FRAME_OVERHEAD_BYTES);
  }

  /** The caller no longer waits; the peer is told. */
  cancel(call: OutgoingCall): void {
    if (!this.#calls.delete(call.id)) return;
    if (!this.#queue.withdraw(call.id)) {
      this.#queue.push({ call_id: call.id, kind: { $case: 'cancel', value: {} } }, 16);
    }
    this.#endIfDone();
  }

  /** Starts no new call and ends when those in flight are done. */
  retire(): void {
    if (this.#state === 'connecting') this.abandon();
    if (this.#state !== 'ready') return;
    this.#state = 'draining';
    this.#endIfDone();
  }

  /** Ends at once; calls in flight fail as UNAVAILABLE. */
  abandon(): void {
    this.#stream.cancel();
  }

  #onReady(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'ready';
    this.#events.onReady();
  }

  #onFrame({ call_id, kind }: ServerFrame): void {
    switch (kind?.$case) {
      case 'reply': {
        const call = this.#take(call_id);
        call?.succeed(kind.value.response, Object.entries(kind.value.metadata));
        break;
      }
      case 'failure': {
        const call = this.#take(call_id);
        call?.fail(restoreError(kind.value, call.path));
        break;
      }
      case 'drain':
        if (this.#state !== 'ready') break;
        this.#state = 'draining';
        this.#events.onDraining();
        break;
      case undefined:
        // A kind of frame from a newer server; it must be able to do without.
        break;
      default:
        kind satisfies never;
    }
    this.#endIfDone();
  }

  #take(call_id: number): OutgoingCall | undefined {
    const call = this.#calls.get(call_id);
    // Absent when the caller gave up while the answer was on its way.
    this.#calls.delete(call_id);
    return call;
  }

  // The client ends a draining tunnel: only it knows that no call is still on its way.
  #endIfDone(): void {
    if (this.#state !== 'draining' || this.#calls.size > 0 || !this.#queue.idle) return;
    this.#state = 'ending';
    this.#stream.end();
  }

  #onStatus(status: StatusObject): void {
    this.#state = 'closed';
    this.#queue.close();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    const reason = `the tunnel ended: ${GrpcStatus[status.code]}: ${status.details}`;
    for (const call of calls) {
      call.fail(transportError(GrpcStatus.UNAVAILABLE, `${call.path}: ${reason}`));
    }
    this.#events.onClosed(status);
  }

  #nextId(): number {
    do {
      this.#last_id = this.#last_id === MAX_CALL_ID ? 1 : this.#last_id + 1;
    } while (this.#calls.has(this.#last_id));
    return this.#last_id;
  }
}
