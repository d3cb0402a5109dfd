import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { lookAtHealth } from '../queries/reporting-health';
import { keepLowAccounts } from '../store/health-accounts';
import { keepHealthDay, type LookRules, takeHealthDays } from '../store/health-days';

/** At most a hundredth of a database's time for one book, however large. */
const RULES: LookRules = { least_rest_ms: 300_000, rest_factor: 100, kept_days: 400, at_once: 20 };

/**
 * Looks at books that nobody has looked at today, or that have changed since, and keeps their health.
 * True when there may be more. A look that a kill ends is made again after its rest.
 */
export async function keepHealth(
  db: Database,
  environment: Parameters<typeof systemContext>[0],
  clock: Clock,
  isStopping: () => boolean,
): Promise<boolean> {
  const ctx = systemContext(environment);
  const now_ms = clock.now_ms();
  const now = toTimestamp(now_ms);
  const taken = await db.transaction(ctx, (tx) => takeHealthDays(tx, now, RULES));
  for (const institution_id of taken) {
    if (isStopping()) return false;
    const begun_ms = performance.now();
    const { health, figures, low } = await db.snapshot(ctx, (on) =>
      lookAtHealth(on, institution_id, now_ms),
    );
    const took_ms = Math.ceil(performance.now() - begun_ms);
    const { score, grade } = health;
    const look = { institution_id, now, score, grade, took_ms, book: figures };
    await db.transaction(ctx, async (tx) => {
      await keepHealthDay(tx, look, RULES.kept_days);
      await keepLowAccounts(tx, institution_id, low);
    });
  }
  return taken.length === RULES.at_once;
}
