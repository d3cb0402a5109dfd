import { ConfigError, refuseCrashPoints } from '../core';
import { runningTelemetry } from '../telemetry/sdk';
import { createLogger, type Logger } from './logger';

/** Something that runs until it is stopped. */
export interface Running {
  /** Stops taking work, finishes what is in hand, lets go of everything. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 20_000;

/**
 * Runs a process's main part; telemetry is what main.ts began before anything else. On SIGTERM,
 * SIGINT or a vanished supervisor it stops in order, within a bound, and exits. A wrong
 * configuration is one line and exit code 1.
 */
export async function runProcess(
  name: string,
  start: (logger: Logger) => Promise<Running>,
): Promise<void> {
  const logger = createLogger({ service: name });
  let running: Running | undefined;
  let stopping = false;
  const telemetry = runningTelemetry();

  const shutDown = async (reason: string, exit_code: number) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    setTimeout(() => {
      logger.error('stopping took too long');
      process.exit(1);
    }, STOP_TIMEOUT_MS).unref();
    try {
      await running?.stop();
      await telemetry.stop();
      process.exit(exit_code);
    } catch (error) {
      logger.error({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', () => void shutDown('SIGTERM', 0));
  process.on('SIGINT', () => void shutDown('SIGINT', 0));
  // Under a supervisor with an IPC channel: do not outlive it.
  if (process.connected) process.on('disconnect', () => void shutDown('supervisor is gone', 0));
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection');
    void shutDown('unhandled rejection', 1);
  });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    void shutDown('uncaught exception', 1);
  });

  try {
    refuseCrashPoints();
    await telemetry.ready.catch(({ message }: Error) => {
      throw new ConfigError(message);
    });
    running = await start(logger);
  } catch (error) {
    if (error instanceof ConfigError) logger.fatal(error.message);
    else logger.fatal({ err: error }, 'start failed');
    process.exit(1);
  }
}
