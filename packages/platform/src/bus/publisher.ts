import { createInbox, ErrorCode, headers, type Msg, type NatsConnection, NatsError } from 'nats';

/** Why the stream did not take a message. */
export type PublishFailure =
  /** The connection broke or nobody answered in time: it may have been stored. */
  | 'unknown'
  /** No stream listens on the subject. */
  | 'no_stream'
  /** Over the server's or the stream's limit for one message: never goes through. */
  | 'too_large'
  /** Refused for now, for example because the store is full. */
  | 'refused'
  /** The server knows the id and not where: who led before may have died before it was stored. */
  | 'undecided';

/** A message that is not known to be stored. */
export class PublishError extends Error {
  constructor(
    readonly reason: PublishFailure,
    message: string,
  ) {
    super(message);
    this.name = 'PublishError';
  }
}

/** The stream's receipt. */
export interface Receipt {
  readonly sequence: number;
  /** It was there already: not stored a second time. */
  readonly duplicate: boolean;
}

interface Waiting {
  readonly expires_at_ms: number;
  resolve(receipt: Receipt): void;
  reject(error: PublishError): void;
}

const MESSAGE_TOO_LARGE = 10_054;
const DUPLICATE_OF_UNSTORED = 10_158;
const CHECK_EVERY_MS = 500;

/**
 * Publishes with a receipt. The client's own JetStream publish makes a request, a timer and
 * several promises for each message and costs six times the CPU; here one subscription takes
 * all receipts and one timer watches them.
 */
export class Publisher {
  private readonly inbox: string;
  /** In the order of sending, and so of expiry. */
  private readonly waiting = new Map<string, Waiting>();
  private next = 0;
  private last_sequence = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly timeout_ms: number,
    /** The stream counts from one again: it is not the one it was. */
    private readonly onNewStream: () => void,
    inbox_prefix: string,
  ) {
    this.inbox = createInbox(inbox_prefix);
    connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.receive(message);
      },
    });
  }

  /**
   * Messages published in one turn of the event loop go into one TCP stream in order: the
   * server stores them in that order, and when the connection breaks it has a prefix of them.
   */
  publish(subject: string, payload: Uint8Array, id: string): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      const key = String(this.next);
      this.next += 1;
      const head = headers();
      head.set('Nats-Msg-Id', id);
      try {
        this.connection.publish(subject, payload, { headers: head, reply: `${this.inbox}.${key}` });
      } catch (error) {
        reject(sendingFailure(error));
        return;
      }
      const expires_at_ms = performance.now() + this.timeout_ms;
      this.waiting.set(key, { expires_at_ms, resolve, reject });
      this.timer ??= setInterval(() => this.expire(), CHECK_EVERY_MS);
    });
  }

  /** Nobody will answer any more: the connection broke. */
  abandon(): void {
    this.rejectWhile(() => true, 'The connection to NATS broke before the receipt came.');
  }

  private expire(): void {
    const now_ms = performance.now();
    this.rejectWhile(
      (waiting) => waiting.expires_at_ms <= now_ms,
      `JetStream did not answer within ${this.timeout_ms} ms.`,
    );
  }

  private rejectWhile(overdue: (waiting: Waiting) => boolean, message: string): void {
    for (const [key, waiting] of this.waiting) {
      if (!overdue(waiting)) break;
      this.waiting.delete(key);
      waiting.reject(new PublishError('unknown', message));
    }
    this.stopTimerWhenIdle();
  }

  private receive(message: Msg): void {
    const key = message.subject.slice(this.inbox.length + 1);
    const waiting = this.waiting.get(key);
    if (waiting === undefined) return;
    this.waiting.delete(key);
    this.stopTimerWhenIdle();
    const answer = parseReceipt(message);
    if (answer instanceof PublishError) {
      waiting.reject(answer);
      return;
    }
    if (!answer.duplicate) {
      if (answer.sequence <= this.last_sequence) this.onNewStream();
      this.last_sequence = answer.sequence;
    }
    waiting.resolve(answer);
  }

  private stopTimerWhenIdle(): void {
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

function sendingFailure(error: unknown): PublishError {
  if (error instanceof NatsError && error.code === ErrorCode.MaxPayloadExceeded) {
    return new PublishError('too_large', 'The message is larger than the NATS server allows.');
  }
  return new PublishError('unknown', error instanceof Error ? error.message : String(error));
}

interface Answer {
  seq?: number;
  duplicate?: boolean;
  error?: { err_code?: number; description?: string };
}

function parseReceipt(message: Msg): Receipt | PublishError {
  if (message.data.length === 0) {
    return new PublishError('no_stream', 'No JetStream stream takes this subject.');
  }
  const answer = message.json<Answer>();
  if (answer.error !== undefined) {
    const { err_code, description = 'JetStream refused the message.' } = answer.error;
    if (err_code === DUPLICATE_OF_UNSTORED) return new PublishError('undecided', description);
    return new PublishError(err_code === MESSAGE_TOO_LARGE ? 'too_large' : 'refused', description);
  }
  const { seq = 0, duplicate = false } = answer;
  // Servers before 2.10.21 say so of a message that they have not stored, and may never store.
  if (seq === 0) return new PublishError('undecided', 'JetStream does not say what it stored.');
  return { sequence: seq, duplicate };
}
