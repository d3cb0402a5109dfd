import {
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { endSpan, startInnerSpan } from '../telemetry';

/**
 * Begins the span of taking events in, under the request that caused the first of them. Without
 * an SDK all of this does nothing, and `traceparent` is the request's own.
 */
export function startConsumeSpan(
  consumer: string,
  request_traceparent: string,
  count: number,
): { span: Span; traceparent: string } {
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: request_traceparent });
  const span = trace.getTracer('@credit/platform/bus').startSpan(
    `consume ${consumer}`,
    {
      kind: SpanKind.CONSUMER,
      attributes: {
        'messaging.system': 'nats',
        'messaging.consumer.group.name': consumer,
        'messaging.batch.message_count': count,
      },
    },
    parent,
  );
  const carrier: { traceparent?: string } = {};
  propagation.inject(trace.setSpan(parent, span), carrier);
  return { span, traceparent: carrier.traceparent ?? request_traceparent };
}

/** Ends it; with an error it is shown as failed. */
export function endConsumeSpan(span: Span, error: unknown): void {
  if (error !== undefined) {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Publishes an event in the trace of the request that caused it. */
export function tracePublish<T>(
  type: string,
  request_traceparent: string,
  publish: () => Promise<T>,
): Promise<T> {
  const span = startInnerSpan({
    kind: SpanKind.PRODUCER,
    name: `publish ${type}`,
    attributes: { 'messaging.system': 'nats' },
    traceparent: request_traceparent,
  });
  const published = publish();
  if (span === undefined) return published;
  return published.then(
    (receipt) => {
      endSpan(span);
      return receipt;
    },
    (error) => {
      endSpan(span, error);
      throw error;
    },
  );
}
