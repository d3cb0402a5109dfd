import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './kustomize';
import type { Finding } from './manifest';

/** Rules of squawk that are not applied, each with its reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  'prefer-bigint-over-int': 'counters and amounts are bigint; integers here are bounded by code',
  'prefer-bigint-over-smallint': 'partitions and codes are few',
  'require-lock-timeout': 'the migrator sets it for every connection',
  'require-statement-timeout': 'an index of a large table may take its time; locks may not',
};
/**
 * Of tables in use; what was there before anybody had data may lock what is empty. The number of
 * each folder's last such migration.
 */
const LOCKING: readonly string[] = [
  'adding-field-with-default',
  'constraint-missing-not-valid',
  'disallowed-unique-constraint',
  'require-concurrent-index-creation',
  'require-concurrent-index-deletion',
  // Nor did anybody run a version that a change could break.
  'adding-foreign-key-constraint',
  'ban-drop-not-null',
  'ban-drop-table',
];
const LAST_BEFORE_FIRST_RELEASE: Readonly<Record<string, number>> = {
  platform: 1,
  identity: 4,
  reporting: 9,
  scoring: 7,
  disputes: 3,
  webhooks: 3,
};
const OUTSIDE = '-- outside a transaction';

interface Report {
  readonly file: string;
  readonly line: number;
  readonly rule_name: string;
  readonly message: string;
}

/** Squawk's findings in all migrations: what would lock a table that is in use, and the like. */
export function checkMigrations(files: readonly string[] = migrationFiles()): Finding[] {
  const outside = files.filter((file) => readFileSync(file, 'utf8').startsWith(OUTSIDE));
  const inside = files.filter((file) => !outside.includes(file));
  const found = [...squawk(inside, ['--assume-in-transaction']), ...squawk(outside, [])].filter(
    ({ rule, title }) => !(LOCKING.includes(rule) && isBeforeFirstRelease(title)),
  );
  return [...found, ...transactionFindings(inside, outside)];
}

/** What PostgreSQL itself would refuse, and only where the migration is first run. */
function transactionFindings(inside: readonly string[], outside: readonly string[]): Finding[] {
  const finding = (file: string, message: string): Finding => ({
    rule: 'transactions',
    title: path.relative(ROOT, file),
    message,
  });
  const sql = (file: string) => readFileSync(file, 'utf8').replace(/--.*$/gm, '').trim();
  return [
    ...inside
      .filter((file) => /\bCONCURRENTLY\b/i.test(sql(file)))
      .map((file) => finding(file, `works only with "${OUTSIDE}" as its first line`)),
    ...outside
      .filter((file) => sql(file).replace(/;$/, '').includes(';'))
      .map((file) => finding(file, 'must be one statement: several would be one transaction')),
  ];
}

function isBeforeFirstRelease(file: string): boolean {
  const [, owner = '', number] = /([a-z]+)\/migrations\/(\d{4})_/.exec(file) ?? [];
  return Number(number) <= (LAST_BEFORE_FIRST_RELEASE[owner] ?? 0);
}

function migrationFiles(): string[] {
  const folders = [
    'packages/platform/migrations',
    ...readdirSync(path.join(ROOT, 'services')).map((name) => `services/${name}/migrations`),
  ];
  return folders
    .map((folder) => path.join(ROOT, folder))
    .flatMap((folder) => {
      try {
        return readdirSync(folder).map((name) => path.join(folder, name));
      } catch {
        // The gateway keeps no data.
        return [];
      }
    })
    .filter((file) => file.endsWith('.sql'));
}

function squawk(files: readonly string[], options: readonly string[]): Finding[] {
  if (files.length === 0) return [];
  const command = path.join(ROOT, 'node_modules/squawk-cli/js/bin/squawk');
  const checked = spawnSync(
    process.execPath,
    [
      command,
      '--reporter',
      'json',
      '--pg-version',
      '18.0',
      `--exclude=${Object.keys(EXCLUDED).join(',')}`,
      ...options,
      ...files,
    ],
    { encoding: 'utf8', env: { ...process.env, SQUAWK_DISABLE_GITHUB_ANNOTATIONS: '1' } },
  );
  if (!checked.stdout.startsWith('[')) {
    throw new Error(`Migrations were not checked: ${checked.stdout}${checked.stderr}`);
  }
  return (JSON.parse(checked.stdout) as Report[]).map(({ file, line, rule_name, message }) => ({
    rule: rule_name,
    title: path.relative(ROOT, file),
    message: `line ${line + 1}: ${message}`,
  }));
}
