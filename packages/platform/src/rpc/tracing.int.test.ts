import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';

import { connect, context, echo, failure, REQUEST, serve } from '../../test/rpc-fixture';
import type { CallContext } from '../context';
import { conflict } from '../errors';

const exporter = new InMemorySpanExporter();
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };

beforeAll(() => {
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
});
beforeEach(() => exporter.reset());
afterAll(() => trace.disable());

function spansOf(kind: SpanKind): ReadableSpan[] {
  return exporter.getFinishedSpans().filter((span) => span.kind === kind);
}

describe('a traced call', () => {
  it('continues the trace from caller to handler', async () => {
    let seen: CallContext | undefined;
    const server = await serve(async (ctx, request) => {
      seen = ctx;
      return echo(ctx, request);
    });

    await connect('tunnel', server).openDispute(context(CALLER), REQUEST);

    const [client] = spansOf(SpanKind.CLIENT);
    const [handler] = spansOf(SpanKind.SERVER);
    expect(client?.name).toBe('credit.disputes.v1.DisputesService/OpenDispute');
    expect(client?.spanContext().traceId).toBe(TRACE_ID);
    expect(client?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(handler?.parentSpanContext?.spanId).toBe(client?.spanContext().spanId);
    expect(seen?.traceparent).toBe(`00-${TRACE_ID}-${handler?.spanContext().spanId}-01`);
    expect(client?.attributes).toMatchObject({
      'rpc.system': 'grpc',
      'rpc.service': 'credit.disputes.v1.DisputesService',
      'rpc.method': 'OpenDispute',
      'rpc.grpc.status_code': 0,
    });
  });

  it('marks a failed call on both sides', async () => {
    const server = await serve(() =>
      Promise.reject(conflict('no', { reason: 'CHANGED_MEANWHILE' })),
    );

    await failure(connect('tunnel', server).openDispute(context(CALLER), REQUEST));

    for (const kind of [SpanKind.CLIENT, SpanKind.SERVER]) {
      expect(spansOf(kind)).toMatchObject([{ status: { code: SpanStatusCode.ERROR } }]);
    }
  });

  it('begins a trace when the caller has none', async () => {
    const server = await serve(echo);

    await connect('tunnel', server).openDispute(context({ traceparent: 'nonsense' }), REQUEST);

    expect(spansOf(SpanKind.CLIENT)[0]?.parentSpanContext).toBeUndefined();
    expect(spansOf(SpanKind.SERVER)).toHaveLength(1);
  });

  it('is continued when it comes as plain gRPC', async () => {
    const server = await serve(echo);

    await connect('unary', server).openDispute(context(CALLER), REQUEST);

    const [handler] = spansOf(SpanKind.SERVER);
    expect(handler?.spanContext().traceId).toBe(TRACE_ID);
    expect(handler?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });
});
