export { beginTelemetry, runningTelemetry, serveMetrics, type Telemetry } from './telemetry';
