import { systemContext } from '@credit/platform/context';
import { Background, type Logger } from '@credit/platform/runtime';
import { observeFigures } from '@credit/platform/telemetry';
import type { Dependencies } from '../dependencies';
import { auditMonths, makeAuditMonths } from '../store/audit-months';

const PAUSE_MS = 3_600_000;
/** Beside the current one: months in which somebody can find out why no more are made. */
const MONTHS_AHEAD = 3;

/** Makes the audit log's next months, and shows how many there are. */
export function monthKeeper({ db }: Pick<Dependencies, 'db'>, logger: Logger): Background {
  const ahead = 'audit.months.ahead';
  const astray = 'audit.entries.without_month';
  const waiting = 'audit.months.without_file';
  observeFigures(
    '@credit/identity',
    {
      [ahead]: 'Months after the current one that the audit log has a part for.',
      [astray]: 'Entries of the audit log whose month has no part of its own, up to 1,000.',
      [waiting]:
        'Of the twelve months past, those that were not exported nine days after their end.',
    },
    async () => {
      const found = await auditMonths(db.read(systemContext('live')));
      return [
        { name: ahead, value: found.ahead },
        { name: astray, value: found.without_month },
        { name: waiting, value: found.without_file },
      ];
    },
  );
  return new Background({
    name: 'audit-months',
    logger,
    pause_ms: PAUSE_MS,
    sooner: 0.5,
    work: async () => {
      const made = await db.transaction(systemContext('live'), (tx) =>
        makeAuditMonths(tx, MONTHS_AHEAD),
      );
      if (made > 0) logger.info({ made }, 'months of the audit log made');
      return false;
    },
  });
}
