import { MAX_BATCH_BYTES } from './limits';

/** A frame that waits to leave. */
export interface QueuedFrame {
  readonly call_id: number;
}

/** The part of a gRPC stream that the queue writes to. */
export interface BatchWriter<Frame> {
  write(batch: { frames: Frame[] }, written: () => void): unknown;
}

/**
 * The outgoing half of a tunnel, the same on both sides: frames queued in one
 * event-loop turn leave as one message. While a message is being written (HTTP/2
 * flow control included) later frames gather for the next one, so a slow peer
 * makes batches larger instead of queues of small messages.
 */
export class FrameQueue<Frame extends QueuedFrame> {
  readonly #writer: BatchWriter<Frame>;
  readonly #onWritten: () => void;
  #frames: Frame[] = [];
  #sizes_bytes: number[] = [];
  #queued_bytes = 0;
  #scheduled = false;
  #writing = false;
  #closed = false;

  /** `onWritten` is called after each message, when the queue has become shorter. */
  constructor(writer: BatchWriter<Frame>, onWritten: () => void) {
    this.#writer = writer;
    this.#onWritten = onWritten;
  }

  /** What waits to be written; a bound for the work that fills the queue. */
  get queued_bytes(): number {
    return this.#queued_bytes;
  }

  /** True when everything queued has been written. */
  get idle(): boolean {
    return this.#frames.length === 0 && !this.#writing;
  }

  /** Queues a frame; the size need not be exact. */
  push(frame: Frame, size_bytes: number): void {
    if (this.#closed) return;
    this.#frames.push(frame);
    this.#sizes_bytes.push(size_bytes);
    this.#queued_bytes += size_bytes;
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    // Not a microtask: those run between the I/O callbacks of one turn, which are
    // what is to be gathered.
    setImmediate(this.#flush);
  }

  /** Takes back the call's frame; false when it has already left. */
  withdraw(call_id: number): boolean {
    const index = this.#frames.findIndex((frame) => frame.call_id === call_id);
    if (index === -1) return false;
    this.#frames.splice(index, 1);
    const [size_bytes = 0] = this.#sizes_bytes.splice(index, 1);
    this.#queued_bytes -= size_bytes;
    return true;
  }

  /** Drops what waits and takes no more. */
  close(): void {
    this.#closed = true;
    this.#frames = [];
    this.#sizes_bytes = [];
    this.#queued_bytes = 0;
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    if (this.#frames.length === 0) return;
    this.#writing = true;
    this.#writer.write({ frames: this.#nextBatch() }, this.#written);
  };

  readonly #written = (): void => {
    this.#writing = false;
    if (this.#closed) return;
    this.#flush();
    this.#onWritten();
  };

  #nextBatch(): Frame[] {
    let count = 0;
    let bytes = 0;
    for (const size_bytes of this.#sizes_bytes) {
      if (count > 0 && bytes + size_bytes > MAX_BATCH_BYTES) break;
      bytes += size_bytes;
      count++;
    }
    this.#queued_bytes -= bytes;
    if (count < this.#frames.length) {
      this.#sizes_bytes.splice(0, count);
      return this.#frames.splice(0, count);
    }
    const batch = this.#frames;
    this.#frames = [];
    this.#sizes_bytes = [];
    return batch;
  }
}
