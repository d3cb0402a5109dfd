import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

type Done = Parameters<SpanExporter['export']>[1];

/** A collector that has not answered for this long is taken for dead. */
const DEAD_AFTER_MS = 500;

/** Hands spans on, and knows whether somebody takes them. */
export class BoundedExporter implements SpanExporter {
  private pending_since_ms: number | undefined;
  private failed = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly now_ms: () => number = () => performance.now(),
  ) {}

  /** False when the last batch was refused, or the present one is not answered. */
  get hopeful(): boolean {
    if (this.failed) return false;
    const { pending_since_ms } = this;
    return pending_since_ms === undefined || this.now_ms() - pending_since_ms < DEAD_AFTER_MS;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.pending_since_ms ??= this.now_ms();
    this.inner.export(spans, (result) => {
      this.pending_since_ms = undefined;
      this.failed = result.error !== undefined;
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }
}
