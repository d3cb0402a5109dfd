// `node stream-command.js`: what a cluster runs before a release's services, so that none of them
// needs the right to change the stream. Local mode calls keepStream() itself.

import { loadConfig, streamConfig } from '../core';
import { createLogger } from '../runtime/logger';
import { tlsFromEnvironment } from '../runtime/tls';
import { keepStream } from './keep-stream';

const DAY_MS = 24 * 60 * 60_000;

async function main(): Promise<void> {
  const logger = createLogger({ service: 'stream' });
  try {
    const config = loadConfig(streamConfig);
    const tls = tlsFromEnvironment(process.env, logger);
    const change = await keepStream({
      url: config.NATS_URL,
      logger,
      tls: config.NATS_URL.startsWith('tls://') ? tls?.files : undefined,
      limits: {
        replicas: config.NATS_STREAM_REPLICAS,
        max_age_ms: config.NATS_STREAM_MAX_AGE_DAYS * DAY_MS,
      },
    });
    logger.info({ stream: change }, 'the stream is as this release wants it');
  } catch (error) {
    logger.fatal({ err: error }, 'the stream could not be looked after');
    process.exitCode = 1;
  }
}

void main().then(() => process.exit());
