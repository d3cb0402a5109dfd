import type { Environment } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import pg from 'pg';
import { ADMIN_URL_VARIABLE } from './admin-url';

/** Where a statement of a service read rows. */
export interface Scan {
  readonly statement: string;
  readonly relation: string;
  readonly node_type: string;
  /** '' without one. */
  readonly index_name: string;
  /** '' without one. */
  readonly index_condition: string;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface LoggedPlan {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

/**
 * Has PostgreSQL tell what each statement of a service reads when it really runs, with the plan
 * that it has there. Tables in tests are small: what an index can do is done by it, so that only a
 * table for which there is none is read from end to end. To be called before the database is used.
 */
export async function watchPlans(
  db: Database,
  environment: Environment,
): Promise<{ take(): Scan[] }> {
  const pool = db.pool(environment);
  const { pathname } = new URL(pool.options.connectionString ?? '');
  const admin_url = new URL(process.env[ADMIN_URL_VARIABLE] ?? '');
  admin_url.pathname = pathname;
  const admin = new pg.Client({ connectionString: admin_url.href });
  await admin.connect();
  try {
    const name = pg.escapeIdentifier(pathname.slice(1));
    for (const setting of [
      "session_preload_libraries = 'auto_explain'",
      "auto_explain.log_min_duration = '0'",
      "auto_explain.log_analyze = 'on'",
      "auto_explain.log_format = 'json'",
      "auto_explain.log_level = 'notice'",
      "enable_seqscan = 'off'",
    ]) {
      await admin.query(`ALTER DATABASE ${name} SET ${setting}`);
    }
  } finally {
    await admin.end();
  }
  const plans: LoggedPlan[] = [];
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const at = message.indexOf('plan:\n');
      if (at >= 0) plans.push(JSON.parse(message.slice(at + 'plan:\n'.length)));
    });
  });
  return {
    take: () =>
      plans
        .splice(0)
        .flatMap((logged) => [...scans(logged['Query Text'].replace(/\s+/g, ' '), logged.Plan)]),
  };
}

function* scans(statement: string, node: PlanNode): Generator<Scan> {
  const relation = node['Relation Name'];
  const node_type = node['Node Type'];
  if (relation !== undefined && node_type.endsWith('Scan') && (node['Actual Loops'] ?? 0) > 0) {
    const index_condition = node['Index Cond'] ?? node['Recheck Cond'] ?? '';
    const index_name = node['Index Name'] ?? '';
    yield { statement, relation, node_type, index_name, index_condition };
  }
  for (const child of node.Plans ?? []) yield* scans(statement, child);
}
