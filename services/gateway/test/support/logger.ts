import { createLogger } from '@credit/platform/runtime';

export const silentLogger = createLogger({
  service: 'test',
  level: process.env.TEST_LOG_LEVEL ?? 'silent',
});
