// Work that goes on after its answer: files that are taken in, reports that are built, decisions that are carried out.

import { createHash, randomUUID } from 'node:crypto';
import type { Case, Exchange } from './case';
import type { Observed } from './journal';

/** A file of accounts. */
export interface Book {
  readonly text: string;
  /** Of its accounts, a row each. */
  readonly references: readonly string[];
  readonly sha256: string;
}

const COLUMNS = 'subject_id,external_account_id,account_type,original_principal,opened_at';

/** So many accounts, of these subjects by turns. */
export function bookOf(subject_ids: readonly string[], rows: number): Book {
  const references = Array.from({ length: rows }, () => `book-${randomUUID()}`);
  const lines = references.map(
    (reference, index) =>
      `${subject_ids[index % subject_ids.length]},${reference},TERM_LOAN,${1_000 + index},2025-01-15T00:00:00Z`,
  );
  const text = `${[COLUMNS, ...lines].join('\n')}\n`;
  return { text, references, sha256: createHash('sha256').update(text).digest('hex') };
}

/** How much of it is not at its end; all of a file that is there comes to one. */
export const JOBS_UNDER_WAY = `SELECT (
    (SELECT count(*) FROM reporting_live.imports WHERE state IN ('CHECKING', 'APPLYING'))
    + (SELECT count(*) FROM scoring_live.reports WHERE status = 'PENDING')
    + (SELECT count(*) FROM disputes_live.dispute_moves WHERE state = 'PENDING')
    + (SELECT count(*) FROM disputes_live.disputes WHERE suppression_state = 'WANTED')
  )::integer AS count`;

export const IMPORTS = `SELECT id, state, reported, existing, refused,
    encode(sha256, 'hex') AS sha256
  FROM reporting_live.imports`;

/** The hash is of the bytes that stand there, beside the one that is said of them. */
export const REPORTS = `SELECT r.id, r.status, encode(r.content_sha256, 'hex') AS said_sha256,
    encode(sha256(d.content), 'hex') AS sha256
  FROM scoring_live.reports r
  LEFT JOIN scoring_live.report_documents d ON d.report_id = r.id`;

export const JOB_CHECKS = {
  /** A file that was taken is on record as a whole, each row once, and its counts say so. */
  *whole_imports({ operations, observed }: Case): Iterable<string> {
    const accounts = Map.groupBy(observed.accounts, ({ external_id }) => external_id);
    const imports = Map.groupBy(observed.imports, ({ sha256 }) => sha256 ?? '');
    for (const [operation, attempts] of operations) {
      const intent = attempts[0]?.intent;
      if (intent?.kind !== 'import') continue;
      const { references = [], sha256 = '' } = intent;
      const counts = references.map((reference) => accounts.get(reference)?.length ?? 0);
      const there = counts.filter((count) => count > 0).length;
      if (there !== 0 && there !== references.length) {
        yield `of the file of ${operation} ${there} of ${references.length} rows are there.`;
      }
      if (counts.some((count) => count > 1)) yield `the file of ${operation} has rows there twice.`;
      const runs = imports.get(sha256) ?? [];
      yield* endsOf(operation, attempts, runs, references.length);
    }
  },

  /** A report that was promised is there, and is what is said of it. */
  *true_reports({ operations, observed }: Case): Iterable<string> {
    const reports = new Map(observed.reports.map((report) => [report.id, report]));
    for (const attempts of operations.values()) {
      for (const { intent, status, text } of attempts) {
        if (intent.kind !== 'report' || status !== 201) continue;
        const { id } = JSON.parse(text) as { id: string };
        const report = reports.get(id);
        if (report?.status !== 'READY') yield `report ${id} is ${report?.status ?? 'not there'}.`;
        else if (report.sha256 === null || report.sha256 !== report.said_sha256) {
          yield `report ${id} is not what it is said to be.`;
        }
      }
    }
  },

  /** A dispute stands as its last acknowledged decision says. */
  *decided({ exchanges, observed }: Case): Iterable<string> {
    const statuses = new Map(observed.disputes.map(({ id, status }) => [id, status]));
    const decisions = exchanges.filter(({ intent }) => intent.kind === 'decision');
    for (const [path, attempts] of Map.groupBy(decisions, (one) => one.path)) {
      const last = attempts.at(-1);
      // Of one whose end nobody knows either may be true.
      if (last?.status !== 200) continue;
      const { id, status } = JSON.parse(last.text) as { id: string; status: string };
      const now = statuses.get(id);
      if (now !== status) yield `${path} was answered with ${status} and is ${now}.`;
    }
  },
};

function* endsOf(
  operation: string,
  attempts: readonly Exchange[],
  runs: Observed['imports'],
  rows: number,
): Iterable<string> {
  for (const { status, text } of attempts) {
    if (status !== 202) continue;
    const { id } = JSON.parse(text) as { id: string };
    if (!runs.some((run) => run.id === id)) yield `import ${id} of ${operation} is not there.`;
  }
  for (const { id, state, reported, existing, refused } of runs) {
    if (state !== 'FINISHED') yield `import ${id} is ${state}.`;
    else if (reported + existing !== rows || refused !== 0) {
      yield `import ${id} says ${reported} reported, ${existing} existing and ${refused} refused of ${rows}.`;
    }
  }
  const reported = runs.reduce((sum, run) => sum + run.reported, 0);
  if (runs.length > 0 && reported !== rows) {
    yield `the imports of ${operation} say that ${reported} of ${rows} rows were reported.`;
  }
}
