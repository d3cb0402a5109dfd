import './telemetry';
import path from 'node:path';
import { runService } from '@credit/platform/runtime';
import { reportingConfig } from './config';
import { listCollisionsCommand } from './operator/list-collisions-command';
import { verifyRecordCommand } from './operator/verify-record-command';
import { build } from './service';

void runService({
  name: 'reporting',
  config: reportingConfig,
  directory: path.resolve(__dirname, '..'),
  urls: (config) => ({ live: config.DATABASE_URL_LIVE, test: config.DATABASE_URL_TEST }),
  build,
  commands: {
    'list-collisions': ({ db }) =>
      listCollisionsCommand(db, (line) => process.stdout.write(`${line}\n`)),
    'verify-record': async (deps, args) => {
      const right = await verifyRecordCommand(deps, args, (line) =>
        process.stdout.write(`${line}\n`),
      );
      if (!right) process.exitCode = 1;
    },
  },
});
