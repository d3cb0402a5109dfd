import {
  type Attributes,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  type TimeInput,
  type Tracer,
  trace,
} from '@opentelemetry/api';

const TRACER_NAME = '@credit/platform';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const TRACEPARENT_LENGTH = 55;

let tracer: Tracer | undefined;

/** What a span is begun with. */
export interface SpanStart {
  readonly kind: SpanKind;
  readonly name: string;
  readonly attributes?: Attributes;
  /** The context's; empty or broken when there is none. */
  readonly traceparent: string;
  readonly started_at?: TimeInput;
  /** The context is of somebody outside the network, whose wish to keep the trace is not ours. */
  readonly from_outside?: boolean;
}

/**
 * Begins a span, with a trace of its own when there is no parent. Nothing when no SDK is
 * installed, and inside a trace of which the gateway has decided that it is not kept: then tracing
 * costs a look-up. The parent comes from the context's traceparent and not from async storage,
 * which the hot path does without.
 */
export function startSpan(start: SpanStart): Span | undefined {
  tracer ??= installedTracer();
  if (tracer === undefined) return undefined;
  if (start.from_outside !== true && isLeftOut(start.traceparent)) return undefined;
  return tracer.startSpan(
    start.name,
    { kind: start.kind, attributes: start.attributes, startTime: start.started_at },
    parentOf(start.traceparent, start.from_outside === true),
  );
}

/**
 * Begins a span inside a trace that is kept, and nothing otherwise: most traces are not, and
 * what is inside of them is not worth an object.
 */
export function startInnerSpan(start: SpanStart): Span | undefined {
  return isSampled(start.traceparent) ? startSpan(start) : undefined;
}

/** Marks a span as failed, without the error's text: it may speak of somebody. */
export function endSpan(span: Span | undefined, error?: unknown): void {
  if (span === undefined) return;
  if (error !== undefined) {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** What whoever is called continues from. */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** For log lines; undefined when the call is not traced. */
export function traceIdOf(traceparent: string): string | undefined {
  return traceparent.length === TRACEPARENT_LENGTH ? traceparent.slice(3, 35) : undefined;
}

/** True when whoever began the trace decided to keep it. */
export function isSampled(traceparent: string): boolean {
  if (traceparent.length !== TRACEPARENT_LENGTH) return false;
  return (Number.parseInt(traceparent.slice(-2), 16) & 1) === 1;
}

/** True when there is a trace and it is not kept. */
function isLeftOut(traceparent: string): boolean {
  return traceparent.length === TRACEPARENT_LENGTH && !isSampled(traceparent);
}

/** The same trace, not kept: where an outsider's context is passed on and nobody here decides. */
export function unsampled(traceparent: string): string {
  return isSampled(traceparent) ? `${traceparent.slice(0, -2)}00` : traceparent;
}

function parentOf(traceparent: string, isRemote: boolean) {
  const match = TRACEPARENT.exec(traceparent);
  if (match === null) return ROOT_CONTEXT;
  const parent: SpanContext = {
    traceId: match[1] ?? '',
    spanId: match[2] ?? '',
    traceFlags: Number.parseInt(match[3] ?? '0', 16),
    isRemote,
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
