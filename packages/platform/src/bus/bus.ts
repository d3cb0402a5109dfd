import {
  type ConnectionOptions,
  connect,
  Events,
  type JetStreamManager,
  type NatsConnection,
  type TlsOptions,
} from 'nats';
import type { Logger } from 'pino';
import { Alarm } from '../core';
import { FailureLog } from './failure-log';
import { PublishError, Publisher, type Receipt } from './publisher';
import { inboxPrefixOf } from './rights';
import {
  ensureStream,
  findStream,
  type Incarnation,
  isAnswer,
  type StreamLimits,
  sameIncarnation,
} from './stream';

/** How to reach NATS and what its stream is like. */
export interface BusOptions {
  /** One server or several with commas between; may hold `user:password@` or `token@`. */
  readonly url: string;
  /** Shown by the server's monitoring; answers come under it, see {@link inboxPrefixOf}. */
  readonly name: string;
  readonly logger: Logger;
  readonly tls?: TlsOptions;
  readonly limits?: Partial<StreamLimits>;
  /** Whether a missing stream is made from here (the default) or waited for. */
  readonly makes_stream?: boolean;
}

/** For health checks and metrics. */
export interface BusStatus {
  readonly connected: boolean;
  /** The stream answered at the last check: events can flow. */
  readonly usable: boolean;
  readonly server: string;
  readonly reconnects: number;
}

/**
 * The connection to NATS. It is made in the background and for ever: a service starts and
 * serves while NATS is away.
 */
export interface Bus {
  /** Undefined until NATS answered for the first time. */
  readonly connection: NatsConnection | undefined;
  /** The stream as last seen; undefined while NATS or the stream is away. */
  readonly stream: Incarnation | undefined;
  status(): BusStatus;
  /** Looks at the stream now, making it when it is missing and this is who makes it. */
  checkStream(): Promise<Incarnation | undefined>;
  /** Rejects with a {@link PublishError}. */
  publish(subject: string, payload: Uint8Array, id: string): Promise<Receipt>;
  manager(): Promise<JetStreamManager>;
  /** Called when {@link stream} changes; returns the way to stop that. */
  onChange(listener: () => void): () => void;
  /** Sends what is buffered and disconnects. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 2_000;
const CONNECT_RETRY_MS = 500;
/** A peer that vanished without a word is noticed after about three of these. */
const PING_INTERVAL_MS = 15_000;
const PUBLISH_TIMEOUT_MS = 5_000;
const API_TIMEOUT_MS = 5_000;
const STREAM_RETRY_MS = 500;
/** Finds a stream that somebody else deleted and made again on a living server. */
const STREAM_CHECK_MS = 10_000;
const DRAIN_TIMEOUT_MS = 5_000;
/** Longer than the servers of a cluster take to choose who leads. */
const LEAVE_AFTER_MS = 8_000;

/**
 * Resolves at once, whether NATS is there or not: see {@link Bus}. Rejects only when the
 * options make no sense.
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  return new NatsBus(options);
}

class NatsBus implements Bus {
  connection: NatsConnection | undefined;
  stream: Incarnation | undefined;
  private connected = false;
  private reconnects = 0;
  /** Whether JetStream said anything when it was last asked. */
  private answers = false;
  private closed = false;
  private publisher: Publisher | undefined;
  private checking: Promise<Incarnation | undefined> | undefined;
  private abandonCheck: (reason: Error) => void = () => {};
  private readonly listeners = new Set<() => void>();
  private readonly connectAlarm = new Alarm();
  private readonly streamAlarm = new Alarm();
  private readonly loops: Promise<unknown>;
  private readonly connectLog: FailureLog;
  private readonly streamLog: FailureLog;
  private readonly connectionOptions: ConnectionOptions;

  constructor(private readonly options: BusOptions) {
    this.connectionOptions = connectionOptions(options);
    this.connectLog = new FailureLog(options.logger, 'connecting to NATS');
    this.streamLog = new FailureLog(options.logger, 'reaching the JetStream stream');
    this.loops = Promise.all([this.keepConnected(), this.keepStream()]);
  }

  status(): BusStatus {
    return {
      connected: this.connected,
      usable: this.stream !== undefined,
      server: this.connected ? (this.connection?.getServer() ?? '') : '',
      reconnects: this.reconnects,
    };
  }

  publish(subject: string, payload: Uint8Array, id: string): Promise<Receipt> {
    // What is published while disconnected might be sent later, out of order.
    if (this.publisher === undefined || !this.connected) {
      return Promise.reject(new PublishError('unknown', 'NATS is not connected.'));
    }
    return this.publisher.publish(subject, payload, id);
  }

  async manager(): Promise<JetStreamManager> {
    if (this.connection === undefined) throw new Error('NATS is not connected.');
    return this.connection.jetstreamManager({ checkAPI: false, timeout: API_TIMEOUT_MS });
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  checkStream(): Promise<Incarnation | undefined> {
    this.checking ??= this.lookAtStream().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.connectAlarm.ring();
    this.streamAlarm.ring();
    if (this.connection !== undefined) {
      if (this.connected) {
        let timer: NodeJS.Timeout | undefined;
        const bound = new Promise((resolve) => {
          timer = setTimeout(resolve, DRAIN_TIMEOUT_MS);
        });
        await Promise.race([this.connection.drain().catch(() => {}), bound]);
        clearTimeout(timer);
      }
      await this.connection.close();
    }
    await this.loops;
  }

  /** nats.js reconnects by itself; this makes the first connection, and one after a final end. */
  private async keepConnected(): Promise<void> {
    while (!this.closed) {
      let connection: NatsConnection;
      try {
        connection = await connect(this.connectionOptions);
      } catch (error) {
        this.connectLog.failed(error);
        await this.connectAlarm.wait(CONNECT_RETRY_MS);
        continue;
      }
      this.connection = connection;
      this.publisher = new Publisher(
        connection,
        PUBLISH_TIMEOUT_MS,
        () => this.checkStream(),
        inboxPrefixOf(this.options.name),
      );
      this.wentUp();
      if (this.closed) await connection.close();
      void this.watch(connection);
      await connection.closed();
      this.wentDown();
    }
  }

  /** Does not return: the client never ends this iteration, not even when it is closed. */
  private async watch(connection: NatsConnection): Promise<void> {
    for await (const { type, data, permissionContext } of connection.status()) {
      if (type === Events.Disconnect) this.wentDown();
      // Otherwise it would look like an answer that never comes.
      if (type === Events.Error) {
        this.options.logger.error({ code: data, ...permissionContext }, 'NATS refused something');
      }
      if (type === Events.Reconnect) {
        this.reconnects += 1;
        this.wentUp();
      }
    }
  }

  private wentUp(): void {
    this.connected = true;
    this.connectLog.succeeded();
    this.streamAlarm.ring();
  }

  private wentDown(): void {
    if (this.connected && !this.closed) {
      this.connectLog.failed(new Error('The connection broke.'));
    }
    this.connected = false;
    this.publisher?.abandon();
    this.abandonCheck(new Error('The connection to NATS broke.'));
    this.setStream(undefined);
  }

  /**
   * A server that the others of its cluster do not reach keeps its clients, and can do nothing for
   * them: it is left for another.
   */
  private async keepStream(): Promise<void> {
    let silent_since_ms: number | undefined;
    while (!this.closed) {
      const began_ms = performance.now();
      if (this.connected) await this.checkStream();
      if (this.answers || !this.connected) silent_since_ms = undefined;
      else silent_since_ms ??= began_ms;
      if (silent_since_ms !== undefined && performance.now() - silent_since_ms >= LEAVE_AFTER_MS) {
        silent_since_ms = undefined;
        // It is over when this is closed meanwhile.
        await this.connection?.reconnect().catch(() => {});
      }
      const usable = this.stream !== undefined;
      await this.streamAlarm.wait(usable ? STREAM_CHECK_MS : STREAM_RETRY_MS);
    }
  }

  private async lookAtStream(): Promise<Incarnation | undefined> {
    const reconnects = this.reconnects;
    const broken = new Promise<never>((_resolve, reject) => {
      this.abandonCheck = reject;
    });
    // It may break when nobody waits for the answer any more.
    broken.catch(() => {});
    let seen: Incarnation | undefined;
    try {
      const manager = await this.manager();
      const limits = this.options.limits ?? {};
      const look =
        this.options.makes_stream === false ? findStream(manager) : ensureStream(manager, limits);
      // An answer that got lost with its connection is not waited for.
      seen = await Promise.race([look, broken]);
      this.answers = true;
      if (seen === undefined) this.streamLog.failed(new Error('There is no stream yet.'));
      else this.streamLog.succeeded();
    } catch (error) {
      this.answers = isAnswer(error);
      if (this.connected && !this.closed) this.streamLog.failed(error);
    }
    // An answer of the connection before this one says nothing about the server behind this one.
    if (!this.connected || reconnects !== this.reconnects) return undefined;
    this.setStream(seen);
    return seen;
  }

  private setStream(stream: Incarnation | undefined): void {
    if (sameIncarnation(this.stream, stream)) return;
    this.stream = stream;
    for (const listener of this.listeners) listener();
  }
}

/** What the client library needs to reach a server as a user: it reads no credentials of a URL. */
export function connectionOptions(
  options: Pick<BusOptions, 'url' | 'name' | 'tls'>,
): ConnectionOptions {
  const urls = options.url
    .split(',')
    .map((text) => text.trim())
    .map((text) => new URL(text.includes('://') ? text : `nats://${text}`));
  if (urls.some((url) => url.host === '')) throw new Error('The NATS URL names no server.');
  const [first] = urls;
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  const credentials = pass === '' ? { token: user } : { user, pass };
  return {
    servers: urls.map((url) => url.host),
    name: options.name,
    inboxPrefix: inboxPrefixOf(options.name),
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: CONNECT_RETRY_MS,
    pingInterval: PING_INTERVAL_MS,
    // A password that is being changed must not end the connection for ever.
    ignoreAuthErrorAbort: true,
    ...(user === '' ? {} : credentials),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  };
}
