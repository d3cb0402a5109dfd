export { beginTelemetry, runningTelemetry, type Telemetry } from './telemetry';
