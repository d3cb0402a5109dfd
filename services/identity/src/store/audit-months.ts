import { type Queryable, statement } from '@credit/platform/db';

const MAKE = statement<{ made: number }>(
  'audit_months_make',
  'SELECT make_audit_months($1::integer) AS made',
);

// By name: what is made is made as a part, so that there is no other table of such a name.
const FIND = statement<{ ahead: number; without_month: number; without_file: number }>(
  'audit_months_find',
  `SELECT (
     SELECT count(*)::integer FROM generate_series(1, 12) AS number
     WHERE to_regclass(audit_part(
       (date_trunc('month', now() AT TIME ZONE 'UTC') + number * interval '1 month')::date
     )) IS NOT NULL
   ) AS ahead, (
     SELECT count(*)::integer FROM (SELECT FROM audit_events_other LIMIT 1000) AS found
   ) AS without_month, (
     SELECT count(*)::integer FROM generate_series(1, 12) AS number,
       LATERAL (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - number * interval '1 month')::date AS month) AS past
     WHERE past.month + interval '1 month 9 days' < now() AT TIME ZONE 'UTC'
       AND EXISTS (SELECT FROM audit_events WHERE audit_events.month = past.month)
       AND NOT EXISTS (SELECT FROM audit_exports WHERE audit_exports.month = past.month)
   ) AS without_file`,
);

/** Makes the parts of the current month and of so many after it; how many there were not. */
export async function makeAuditMonths(tx: Queryable, ahead: number): Promise<number> {
  return (await tx.one(MAKE, [ahead])).made;
}

/** How many months ahead have their part, how many entries have none, and how many months of a year past no file nine days after their end. */
export function auditMonths(on: Queryable) {
  return on.one(FIND);
}
