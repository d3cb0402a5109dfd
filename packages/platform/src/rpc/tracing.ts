import { status as GrpcStatus } from '@grpc/grpc-js';
import { type Span, type SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { startSpan } from '../telemetry';

export { traceparentOf } from '../telemetry';

/** Begins the span of one call, or nothing when no SDK is installed. */
export function startCallSpan(
  kind: SpanKind.CLIENT | SpanKind.SERVER,
  path: string,
  traceparent: string,
): Span | undefined {
  const separator = path.lastIndexOf('/');
  return startSpan({
    kind,
    name: path.slice(1),
    attributes: {
      'rpc.system': 'grpc',
      'rpc.service': path.slice(1, separator),
      'rpc.method': path.slice(separator + 1),
    },
    traceparent,
  });
}

/** Ends the span with the call's gRPC status. */
export function endCallSpan(span: Span, status: GrpcStatus): void {
  span.setAttribute('rpc.grpc.status_code', status);
  if (status !== GrpcStatus.OK) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
