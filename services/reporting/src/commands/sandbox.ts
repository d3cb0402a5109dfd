// What making and clearing test data have in common.

import type { Outcome, Transaction } from '@credit/platform/db';

/** Of what nothing can refuse. */
export function accepted<Value>(outcome: Outcome<Value>): Value {
  if ('error' in outcome)
    throw new Error('The sandbox contradicts itself.', { cause: outcome.error });
  return outcome.value;
}

/**
 * The same transaction, without entries in anybody's log: what is made for one call is one entry in the
 * caller's, and furnishers that do not exist have no log.
 */
export function unlogged(tx: Transaction): Transaction {
  return {
    ctx: tx.ctx,
    query: (wanted, values) => tx.query(wanted, values),
    one: (wanted, values) => tx.one(wanted, values),
    maybe: (wanted, values) => tx.maybe(wanted, values),
    execute: (wanted, values) => tx.execute(wanted, values),
    write: (wanted, values, expected_rows) => tx.write(wanted, values, expected_rows),
    outbox: (event, ctx) => tx.outbox(event, ctx),
    audit: () => undefined,
    afterCommit: (run) => tx.afterCommit(run),
  };
}
