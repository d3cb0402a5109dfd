import { type Client, status as GrpcStatus, type StatusObject } from '@grpc/grpc-js';

import { backoffMs, sooner } from '../values';
import type { RpcLogger } from './dispatcher';
import { TunnelPeer } from './tunnel-peer';

const CONNECT_TIMEOUT_MS = 5_000;
const BACKOFF = { first_ms: 100, longest_ms: 2_000 };
/** A tunnel that lasted longer than this is replaced without a pause. */
const STABLE_AFTER_MS = 1_000;

/** Options of a {@link TunnelConnection}. */
export interface TunnelConnectionOptions {
  readonly address: string;
  /** A new client with a connection of its own. */
  readonly newClient: () => Client;
  readonly logger: RpcLogger;
  /** `peer` or `connecting` has changed. */
  readonly onChange: () => void;
  /** An established tunnel broke or an attempt failed. */
  readonly onFailure: () => void;
}

/** Keeps one address reachable: opens a tunnel, and replaces it when it drains or breaks. */
export class TunnelConnection {
  readonly #options: TunnelConnectionOptions;
  readonly #open = new Set<TunnelPeer>();
  #tunnel: TunnelPeer | undefined;
  #connecting = false;
  #failures = 0;
  #failed_at_ms = 0;
  #retry_at_ms = 0;
  #timer: NodeJS.Timeout | undefined;
  #retired = false;

  constructor(options: TunnelConnectionOptions) {
    this.#options = options;
  }

  /** Where new calls go; undefined when there is nowhere at present. */
  get peer(): TunnelPeer | undefined {
    return this.#tunnel;
  }

  /** True while an attempt may still bring a peer. */
  get connecting(): boolean {
    return this.#connecting;
  }

  /** Opens a tunnel. */
  connect(): void {
    if (this.#retired || this.#connecting) return;
    this.#connecting = true;
    clearTimeout(this.#timer);
    const { address, logger, newClient } = this.#options;
    const client = newClient();
    let ready_at_ms: number | undefined;
    const tunnel = new TunnelPeer(client, {
      onReady: () => {
        clearTimeout(timer);
        ready_at_ms = performance.now();
        logger.debug({ address, failures: this.#failures }, 'rpc tunnel opened');
        this.#connecting = false;
        this.#tunnel = tunnel;
        this.#options.onChange();
      },
      onDraining: () => {
        logger.debug({ address }, 'rpc tunnel drains');
        this.#replace(tunnel, ready_at_ms);
      },
      onClosed: (status) => {
        clearTimeout(timer);
        this.#open.delete(tunnel);
        if (ready_at_ms !== undefined) {
          client.close();
          if (this.#tunnel !== tunnel) return;
          logger.warn({ address, status: describe(status) }, 'rpc tunnel broke');
          this.#replace(tunnel, ready_at_ms);
          this.#options.onFailure();
          return;
        }
        this.#onAttemptFailed(client, status);
      },
    });
    this.#open.add(tunnel);
    const timer = setTimeout(() => tunnel.abandon(), CONNECT_TIMEOUT_MS).unref();
  }

  /** Shortens a pause between attempts to the first one's; true when an attempt is to come. */
  hurry(): boolean {
    if (this.#retired || this.#connecting || this.#tunnel !== undefined) return false;
    const now_ms = performance.now();
    const soonest_ms = Math.max(now_ms, this.#failed_at_ms + BACKOFF.first_ms);
    if (soonest_ms < this.#retry_at_ms) this.#retryIn(soonest_ms - now_ms);
    return true;
  }

  /** Starts no new calls and closes when those in flight are done. */
  retire(): void {
    this.#retired = true;
    clearTimeout(this.#timer);
    this.#tunnel = undefined;
    for (const tunnel of this.#open) tunnel.retire();
  }

  /** Ends at once. */
  close(): void {
    this.retire();
    for (const tunnel of this.#open) tunnel.abandon();
  }

  #replace(tunnel: TunnelPeer, ready_at_ms: number | undefined): void {
    if (this.#tunnel !== tunnel) return;
    this.#tunnel = undefined;
    const stable = ready_at_ms !== undefined && performance.now() - ready_at_ms >= STABLE_AFTER_MS;
    if (stable) {
      this.#failures = 0;
      this.connect();
    } else {
      this.#backOff();
    }
    this.#options.onChange();
  }

  #onAttemptFailed(client: Client, status: StatusObject): void {
    this.#connecting = false;
    client.close();
    if (this.#retired) return;
    const { address, logger } = this.#options;
    // Once an outage, not once an attempt.
    const level = this.#failures === 0 ? 'warn' : 'debug';
    logger[level]({ address, status: describe(status) }, 'rpc peer is unreachable');
    this.#backOff();
    this.#options.onFailure();
    this.#options.onChange();
  }

  #backOff(): void {
    this.#failures++;
    this.#failed_at_ms = performance.now();
    this.#retryIn(sooner(backoffMs(BACKOFF, this.#failures), 0.5));
  }

  #retryIn(delay_ms: number): void {
    clearTimeout(this.#timer);
    this.#retry_at_ms = performance.now() + delay_ms;
    this.#timer = setTimeout(() => this.connect(), delay_ms).unref();
  }
}

function describe(status: StatusObject): string {
  return `${GrpcStatus[status.code]}: ${status.details}`;
}
