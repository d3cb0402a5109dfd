import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { observeFigures } from '@credit/platform/telemetry';
import { lastReconciliation } from '../store/reconciliation';

/** Shows what `reconcile` last found, whoever ran it, whenever metrics are read. */
export function observeReconciliation(db: Database): void {
  observeFigures(
    '@credit/scoring',
    {
      'reconciliation.mismatches': 'Subjects that differed from reporting at the last comparison.',
      'reconciliation.unmended': 'Those of them that it could not mend.',
      'reconciliation.age.seconds': 'How long ago the last comparison ended.',
    },
    async () => {
      const results = await Promise.all(
        db.environments.map(async (environment) => ({
          last: await lastReconciliation(db.read(systemContext(environment))),
          attributes: { environment },
        })),
      );
      return results.flatMap(({ last, attributes }) =>
        last === undefined
          ? []
          : [
              { name: 'reconciliation.mismatches' as const, value: last.mismatches, attributes },
              { name: 'reconciliation.unmended' as const, value: last.unmended, attributes },
              { name: 'reconciliation.age.seconds' as const, value: last.age_s, attributes },
            ],
      );
    },
  );
}
