import { systemContext } from '@credit/platform/context';
import { Background, eachEnvironment, type Logger } from '@credit/platform/runtime';
import { observeFigures } from '@credit/platform/telemetry';
import { type EventLogDependencies, growEventLog } from '../commands/grow-event-log';
import { timeOfId } from '../domain/event-log';
import { firstUnlogged, logsWaitingSince } from '../store/event-log';

/** Keeps the logs of credit events, apart from their commits, and shows how far they are behind. */
export function eventLogWorker(
  deps: EventLogDependencies,
  { logger, pause_ms }: { readonly logger: Logger; readonly pause_ms: number },
): Background {
  const { clock, db } = deps;
  const name = 'event_log.oldest_age.seconds';
  observeFigures(
    '@credit/reporting',
    { [name]: 'How long the oldest event that is not in a log told to identity has waited.' },
    async () => {
      const now_ms = clock.now_ms();
      return Promise.all(
        db.environments.map(async (environment) => {
          const on = db.read(systemContext(environment));
          const [id, at] = [await firstUnlogged(on), await logsWaitingSince(on)];
          const since_ms = Math.min(
            id === undefined ? now_ms : timeOfId(id),
            at === undefined ? now_ms : Date.parse(at),
          );
          return { name, value: (now_ms - since_ms) / 1_000, attributes: { environment } };
        }),
      );
    },
  );
  return new Background({
    name: 'event-log',
    logger,
    pause_ms,
    sooner: 0.5,
    work: (isStopping) =>
      eachEnvironment(db.environments, isStopping, (environment) =>
        growEventLog(deps, environment),
      ),
  });
}
