import { status as GrpcStatus } from '@grpc/grpc-js';
import {
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

const TRACER_NAME = '@credit/platform/rpc';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

let tracer: Tracer | undefined;

/**
 * Begins the span of one call, or nothing when no SDK is installed: then tracing
 * costs one look-up a call. The parent comes from the context's traceparent and not
 * from async storage, which the hot path does without.
 */
export function startCallSpan(
  kind: SpanKind.CLIENT | SpanKind.SERVER,
  path: string,
  traceparent: string,
): Span | undefined {
  tracer ??= installedTracer();
  if (tracer === undefined) return undefined;
  const separator = path.lastIndexOf('/');
  return tracer.startSpan(
    path.slice(1),
    {
      kind,
      attributes: {
        'rpc.system': 'grpc',
        'rpc.service': path.slice(1, separator),
        'rpc.method': path.slice(separator + 1),
      },
    },
    parentOf(traceparent),
  );
}

/** Ends the span with the call's gRPC status. */
export function endCallSpan(span: Span, status: GrpcStatus): void {
  span.setAttribute('rpc.grpc.status_code', status);
  if (status !== GrpcStatus.OK) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** What the call's other side continues from. */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function parentOf(traceparent: string) {
  const match = TRACEPARENT.exec(traceparent);
  if (match === null) return ROOT_CONTEXT;
  const parent: SpanContext = {
    traceId: match[1] ?? '',
    spanId: match[2] ?? '',
    traceFlags: Number.parseInt(match[3] ?? '0', 16),
    isRemote: true,
  };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

// The API hands out a proxy until an SDK registers itself; only the proxy knows.
function installedTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(TRACER_NAME)
    : provider.getTracer(TRACER_NAME);
}
