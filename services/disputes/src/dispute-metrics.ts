import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { observeFigures } from '@credit/platform/telemetry';
import { countUnresolved } from './store/unresolved';

/** Shows how many disputes wait, and how many for too long, whenever metrics are read. */
export function observeDisputes(db: Database): void {
  observeFigures(
    '@credit/disputes',
    {
      'disputes.unresolved': 'Disputes without an outcome.',
      'disputes.overdue': 'Those of them that are past their due date.',
    },
    async () => {
      const counts = await Promise.all(
        db.environments.map(async (environment) => ({
          ...(await countUnresolved(db.read(systemContext(environment)))),
          attributes: { environment },
        })),
      );
      return counts.flatMap(({ unresolved, overdue, attributes }) => [
        { name: 'disputes.unresolved' as const, value: unresolved, attributes },
        { name: 'disputes.overdue' as const, value: overdue, attributes },
      ]);
    },
  );
}
