// The first import of main.ts: what is loaded after it finds telemetry running.
import { beginTelemetry } from '@credit/platform/telemetry/sdk';

beginTelemetry('webhooks');
