import type { CallContext } from '@credit/platform/context';
import type { Database, Transaction } from '@credit/platform/db';

/** Carries the result out of the transaction that it ends. */
class Rehearsed<Res> extends Error {
  constructor(readonly result: Res) {
    super('A rehearsal is rolled back.');
  }
}

/**
 * Runs a command as it would run and rolls everything back, so that a dry run can never judge
 * otherwise than the real one. Ids that it made are known to `isMade`.
 */
export async function rehearse<Res>(
  db: Database,
  ctx: CallContext,
  newId: () => string,
  run: (tx: Transaction, newId: () => string) => Promise<Res>,
): Promise<{ result: Res; isMade: (id: string) => boolean }> {
  const made = new Set<string>();
  const remember = () => {
    const id = newId();
    made.add(id);
    return id;
  };
  try {
    return await db.transaction(ctx, async (tx) => {
      throw new Rehearsed(await run(tx, remember));
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
    return { result: error.result, isMade: (id) => made.has(id) };
  }
}
