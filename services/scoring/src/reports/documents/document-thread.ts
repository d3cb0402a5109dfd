import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ThreadAnswer } from './thread-main';
import type { Material } from './write';

/** Limits of the thread, and how it is started. */
export interface DocumentThreadOptions {
  /** A document that takes longer is given up. */
  readonly timeout_ms?: number;
  /** Of JavaScript objects; a document that needs more is too large. */
  readonly max_heap_mb?: number;
  /** After so long without a document the thread ends, and gives back what it holds. */
  readonly idle_ms?: number;
  /** How Node is started in it; tests run from sources. */
  readonly exec_argv?: readonly string[];
}

/** A document and its hash. */
export interface WrittenDocument {
  readonly content: Buffer;
  readonly sha256: Buffer;
}

interface InHand {
  readonly timer: NodeJS.Timeout;
  resolve(document: WrittenDocument): void;
  reject(error: Error): void;
}

const TIMEOUT_MS = 15_000;
const MAX_HEAP_MB = 384;
/** To begin a thread takes half a second, and on a busy machine many times that. */
const IDLE_MS = 5 * 60_000;

/**
 * Writes documents beside the service's own thread, one after another: however long one is, requests
 * are answered meanwhile. A document that is too much for it ends the thread and not the service; the
 * next one gets a new thread.
 */
export class DocumentThread {
  private worker: Worker | undefined;
  private in_hand: InHand | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: DocumentThreadOptions = {}) {}

  /** Rejects with a RangeError when the document is too large. */
  write(material: Material): Promise<WrittenDocument> {
    const written = this.last.then(() => this.writeNow(material));
    this.last = written.catch(() => undefined);
    return written;
  }

  async stop(): Promise<void> {
    this.closed = true;
    await this.last;
    clearTimeout(this.idle);
    await this.worker?.terminate();
  }

  private writeNow(material: Material): Promise<WrittenDocument> {
    if (this.closed) return Promise.reject(new Error('The thread of documents was stopped.'));
    clearTimeout(this.idle);
    this.worker ??= this.startWorker();
    const { worker } = this;
    const timeout_ms = this.options.timeout_ms ?? TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.settle(worker, (waiting) =>
          waiting.reject(new Error(`A document took longer than ${timeout_ms} ms.`)),
        );
        void worker.terminate();
      }, timeout_ms);
      this.in_hand = { timer, resolve, reject };
      worker.postMessage(material);
    });
  }

  private startWorker(): Worker {
    const main = path.join(__dirname, `thread-main${path.extname(__filename)}`);
    const worker = new Worker(main, {
      resourceLimits: { maxOldGenerationSizeMb: this.options.max_heap_mb ?? MAX_HEAP_MB },
      // Nothing of the service's environment is of use there, and some of it is secret.
      env: {},
      ...(this.options.exec_argv === undefined ? {} : { execArgv: [...this.options.exec_argv] }),
    });
    // It does not keep a process alive that has nothing else to do.
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => {
      this.settle(
        worker,
        (waiting) => {
          if ('content' in answer) {
            const { content, sha256 } = answer;
            const { buffer, byteOffset, byteLength } = content;
            waiting.resolve({
              content: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength),
              sha256: Buffer.from(sha256),
            });
          } else {
            const { message, too_large } = answer;
            waiting.reject(too_large ? new RangeError(message) : new Error(message));
          }
        },
        true,
      );
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const out_of_memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const failure = out_of_memory ? new RangeError('The document is too large.') : error;
      this.settle(worker, (waiting) => waiting.reject(failure));
    });
    worker.on('exit', (code) => {
      const failure = new Error(`The thread of documents ended with ${code}.`);
      this.settle(worker, (waiting) => waiting.reject(failure));
    });
    return worker;
  }

  /** Ends what a worker has in hand; one that failed is not used again. */
  private settle(worker: Worker, end: (waiting: InHand) => void, keeps = false): void {
    if (this.worker !== worker) return;
    if (!keeps) this.worker = undefined;
    const waiting = this.in_hand;
    this.in_hand = undefined;
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    if (keeps) {
      this.idle = setTimeout(() => {
        this.worker = undefined;
        void worker.terminate();
      }, this.options.idle_ms ?? IDLE_MS).unref();
    }
    end(waiting);
  }
}
