import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { BoundedExporter } from './bounded-exporter';
import { samplerFor } from './sampling';
import type { Position } from './settings';

/** A batch that is not taken by then is given up; spans that do not fit the queue are dropped. */
const EXPORT_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 2_000;
const STOP_POLL_MS = 20;

/** Sends spans in batches, in the background, to `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export function startTracing(
  service: string,
  position: Position,
  ratio: number,
): { stop(): Promise<void> } {
  const exporter = new BoundedExporter(new OTLPTraceExporter({ timeoutMillis: EXPORT_TIMEOUT_MS }));
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: samplerFor(position, ratio),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  // Parents are passed on by hand: nothing needs to follow asynchronous calls.
  provider.register({ contextManager: null });
  return {
    async stop() {
      let sent = false;
      const flushed = provider.shutdown().finally(() => {
        sent = true;
      });
      flushed.catch(() => {});
      const until_ms = performance.now() + STOP_TIMEOUT_MS;
      while (!sent && exporter.hopeful && performance.now() < until_ms) {
        await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
      }
    },
  };
}
