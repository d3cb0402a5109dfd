export { observeFigures, type Reading } from './figures';
export {
  endSpan,
  isSampled,
  type SpanStart,
  startInnerSpan,
  startSpan,
  traceIdOf,
  traceparentOf,
  unsampled,
} from './tracing';
