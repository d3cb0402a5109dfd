import type { Environment } from '@credit/platform/context';
import {
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type AttemptResult, errorClass, type Verdict } from '../domain/attempt';
import type { DeliveryFigures } from '../queries/delivery-figures';
import type { ClaimedRow } from '../store/queue';

/** Endpoints as an operator tells them apart: those being tried one at a time, and the others. */
export type EndpointClass = 'healthy' | 'failing';

/** What is measured of one environment's sender. */
export interface DeliveryMetrics {
  /** A delivery is on its way. */
  begin(row: ClaimedRow): void;
  /** It is not any more. */
  end(row: ClaimedRow): void;
  /** An attempt came to this. */
  record(result: AttemptResult, verdict: Verdict, duration_ms: number): void;
  /** Observes nothing more. */
  close(): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600, 3_600];

/**
 * Counts and times deliveries; costs next to nothing while no exporter is installed.
 * `readFigures` is only called when metrics are read.
 */
export function openDeliveryMetrics(
  environment: Environment,
  readFigures: () => Promise<DeliveryFigures>,
): DeliveryMetrics {
  const meter = metrics.getMeter('@credit/webhooks');
  const advice = { explicitBucketBoundaries: SECONDS };
  const lag = meter.createHistogram('webhooks.delivery.due_lag.seconds', {
    description: 'From the moment a delivery was due to its claim.',
    advice,
  });
  const duration = meter.createHistogram('webhooks.delivery.duration.seconds', {
    description: 'Of attempts, by what they came to.',
    advice,
  });
  const first = meter.createHistogram('webhooks.delivery.first_attempt.seconds', {
    description: 'From the event to the beginning of the first attempt.',
    advice,
  });
  const in_flight: Record<EndpointClass, number> = { healthy: 0, failing: 0 };
  const flying = meter.createObservableGauge('webhooks.delivery.in_flight', {
    description: 'Deliveries that this process is sending, by the class of their endpoint.',
  });
  const due = meter.createObservableGauge('webhooks.queue.due', {
    description: 'Deliveries that could be sent now; counted up to 10,000.',
  });
  const oldest = meter.createObservableGauge('webhooks.queue.oldest_due.seconds', {
    description: 'How long the oldest of them has been due.',
  });
  const observe: Parameters<typeof meter.addBatchObservableCallback>[0] = async (result) => {
    for (const endpoint_class of ['healthy', 'failing'] as const) {
      result.observe(flying, in_flight[endpoint_class], { environment, endpoint_class });
    }
    const figures = await readFigures();
    result.observe(due, figures.due, { environment });
    result.observe(oldest, figures.oldest_due_ms / 1_000, { environment });
  };
  const observed = [flying, due, oldest];
  meter.addBatchObservableCallback(observe, observed);
  return {
    begin(row) {
      in_flight[classOf(row)] += 1;
      lag.record(Math.max(0, row.lag_ms) / 1_000, { environment });
      if (row.attempts > 0 || row.event_age_ms === undefined) return;
      // A failing endpoint is tried with one delivery at a time: its others wait on purpose.
      const attributes = { environment, endpoint_class: classOf(row) };
      first.record(Math.max(0, row.event_age_ms) / 1_000, attributes);
    },
    end(row) {
      in_flight[classOf(row)] -= 1;
    },
    record(result, verdict, duration_ms) {
      const outcome = verdict.kind;
      const error_class = outcome === 'delivered' ? '' : errorClass(result);
      duration.record(duration_ms / 1_000, { environment, outcome, error_class });
    },
    close: () => meter.removeBatchObservableCallback(observe, observed),
  };
}

function classOf(row: ClaimedRow): EndpointClass {
  return row.is_failing ? 'failing' : 'healthy';
}

/**
 * Begins the span of one attempt, under the request that caused the event. The trace
 * stays inside: receivers are not told of it.
 */
export function startDeliverySpan(row: ClaimedRow): Span {
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: row.traceparent });
  return trace.getTracer('@credit/webhooks').startSpan(
    'deliver webhook',
    {
      kind: SpanKind.CLIENT,
      attributes: {
        'webhooks.delivery.id': row.id,
        'webhooks.subscription.id': row.subscription_id,
        'webhooks.event.id': row.event_id,
        'webhooks.attempt': row.attempts + 1,
      },
    },
    parent,
  );
}

/** Ends it with what the attempt came to. */
export function endDeliverySpan(span: Span, result: AttemptResult, verdict: Verdict): void {
  if (result.kind === 'answered') span.setAttribute('http.response.status_code', result.status);
  if (verdict.kind !== 'delivered') {
    span.setAttribute('error.type', errorClass(result));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
