import './telemetry';
import path from 'node:path';
import { runService } from '@credit/platform/runtime';
import { scoringConfig } from './config';
import { operatorCommands } from './operator/operator-commands';
import { build } from './service';

void runService({
  name: 'scoring',
  config: scoringConfig,
  directory: path.resolve(__dirname, '..'),
  urls: (config) => ({ live: config.DATABASE_URL_LIVE, test: config.DATABASE_URL_TEST }),
  build,
  commands: operatorCommands,
});
