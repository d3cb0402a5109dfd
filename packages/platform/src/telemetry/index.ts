export {
  endSpan,
  isSampled,
  type SpanStart,
  startInnerSpan,
  startSpan,
  traceIdOf,
  traceparentOf,
} from './tracing';
