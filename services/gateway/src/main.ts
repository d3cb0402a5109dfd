import './telemetry';
import { loadConfig, runProcess } from '@credit/platform/runtime';
import { gatewayConfig } from './config';
import { startGateway } from './gateway';

void runProcess('gateway', (logger) => startGateway(loadConfig(gatewayConfig), logger));
