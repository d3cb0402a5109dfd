import './telemetry';
import path from 'node:path';
import { runService } from '@credit/platform/runtime';
import { disputesConfig } from './config';
import { build } from './service';

void runService({
  name: 'disputes',
  config: disputesConfig,
  directory: path.resolve(__dirname, '..'),
  urls: (config) => ({ live: config.DATABASE_URL_LIVE, test: config.DATABASE_URL_TEST }),
  build,
});
