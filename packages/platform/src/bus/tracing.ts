import { type Span, SpanKind } from '@opentelemetry/api';
import { endSpan, startInnerSpan, startSpan, traceparentOf } from '../telemetry';

/**
 * Begins the span of taking events in, under the request that caused the first of them. Without
 * an SDK all of this does nothing, and `traceparent` is the request's own.
 */
export function startConsumeSpan(
  consumer: string,
  request_traceparent: string,
  count: number,
): { span: Span | undefined; traceparent: string } {
  const span = startSpan({
    kind: SpanKind.CONSUMER,
    name: `consume ${consumer}`,
    attributes: {
      'messaging.system': 'nats',
      'messaging.consumer.group.name': consumer,
      'messaging.batch.message_count': count,
    },
    traceparent: request_traceparent,
  });
  return { span, traceparent: span === undefined ? request_traceparent : traceparentOf(span) };
}

/** Ends it; with an error it is shown as failed. */
export function endConsumeSpan(span: Span | undefined, error: unknown): void {
  endSpan(span, error);
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
