import { type DestinationStream, type LoggerOptions, type Logger as PinoLogger, pino } from 'pino';

/** Structured log, one JSON object a line on standard output. */
export type Logger = PinoLogger;

/** A service's logger. `LOG_LEVEL` sets the level (default info). */
export function createLogger(options: {
  service: string;
  level?: string;
  /** Where lines go instead of standard output. */
  destination?: DestinationStream;
}): Logger {
  const settings: LoggerOptions = {
    level: options.level ?? process.env.LOG_LEVEL ?? 'info',
    base: { service: options.service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    // A second line of defence: secrets are not passed to the log in the first place.
    redact: {
      paths: [
        '*.authorization',
        '*.password',
        '*.secret',
        '*.token',
        '*.access_token',
        '*.refresh_token',
      ],
      censor: '[redacted]',
    },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
