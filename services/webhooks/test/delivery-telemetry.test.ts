import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { ClaimedRow } from '../src/store/queue';
import {
  endDeliverySpan,
  openDeliveryMetrics,
  startDeliverySpan,
} from '../src/workers/delivery-telemetry';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const row: ClaimedRow = {
  id: '01900000-0000-7000-8000-000000000001',
  subscription_id: '01900000-0000-7000-8000-000000000002',
  institution_id: '01900000-0000-7000-8000-000000000003',
  event_id: '01900000-0000-7000-8000-000000000004',
  attempts: 2,
  url: 'https://receiver.test/',
  secret_sealed: Buffer.alloc(0),
  secret_key_id: '',
  body: '{}',
  traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
  lag_ms: 250,
  event_age_ms: 900,
  is_failing: true,
};
const refused = { kind: 'answered', status: 503 } as const;
const retry = { kind: 'retry', delay_ms: 1_000 } as const;

afterEach(() => {
  metrics.disable();
  trace.disable();
});

test('a sender shows lag, outcomes, its queue, and what is in flight by endpoint class', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  const measured = openDeliveryMetrics('live', async () => ({
    due: 7,
    oldest_due_ms: 1_500,
    in_flight: 1,
  }));
  measured.begin(row);
  measured.begin({ ...row, attempts: 0, is_failing: false });
  measured.begin({ ...row, attempts: 0, is_failing: false, event_age_ms: undefined });
  measured.record(refused, retry, 40);
  await reader.forceFlush();
  const shown = new Map(
    exporter
      .getMetrics()
      .flatMap((one) => one.scopeMetrics)
      .flatMap((one) => one.metrics)
      .map((one) => [one.descriptor.name, one.dataPoints]),
  );
  const shownOf = (name: string, endpoint_class?: string) =>
    shown.get(name)?.find(({ attributes }) => attributes.endpoint_class === endpoint_class)?.value;
  expect(shownOf('webhooks.queue.due')).toBe(7);
  expect(shownOf('webhooks.queue.oldest_due.seconds')).toBe(1.5);
  expect(shownOf('webhooks.delivery.in_flight', 'failing')).toBe(1);
  expect(shownOf('webhooks.delivery.in_flight', 'healthy')).toBe(2);
  expect(shownOf('webhooks.delivery.due_lag.seconds')).toMatchObject({ count: 3, sum: 0.75 });
  // Neither later attempts nor what a replay sends once more.
  expect(shownOf('webhooks.delivery.first_attempt.seconds', 'healthy')).toMatchObject({
    count: 1,
    sum: 0.9,
  });
  expect(shownOf('webhooks.delivery.first_attempt.seconds', 'failing')).toBeUndefined();
  expect(shown.get('webhooks.delivery.duration.seconds')?.[0]?.attributes).toEqual({
    environment: 'live',
    outcome: 'retry',
    error_class: 'HTTP_STATUS',
  });
  measured.end(row);
  measured.end({ ...row, is_failing: false });
  measured.end({ ...row, is_failing: false });
  measured.close();
  await provider.shutdown();
});

test("an attempt is a span in the trace of the event's request", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  endDeliverySpan(startDeliverySpan(row), refused, retry);
  const [span] = exporter.getFinishedSpans();
  expect(span?.spanContext().traceId).toBe(TRACE_ID);
  expect(span?.attributes).toMatchObject({
    'webhooks.attempt': 3,
    'http.response.status_code': 503,
    'error.type': 'HTTP_STATUS',
  });
  await provider.shutdown();
});
