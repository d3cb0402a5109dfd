import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkDashboards } from './dashboards';
import { baseImages, checkDockerfile } from './dockerfile';
import { checkMigrations } from './migrations';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'deploy-check-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe('the Dockerfile', () => {
  it('has nothing wrong with it, and versions of all its bases', () => {
    expect(checkDockerfile()).toEqual([]);
  });

  it('is refused with a base of any version, or with what dockerfilelint knows', () => {
    const lines = [
      'ARG BASE=node',
      'FROM $'.concat('{BASE} AS build'),
      'FROM build',
      'RUN sudo apt-get install -y curl',
    ];
    const content = `${lines.join('\n')}\n`;
    expect(baseImages(content)).toEqual(['node']);
    const messages = checkDockerfile(content).map(({ message }) => message);
    expect(messages).toContain('node may be any version');
    expect(messages.join()).toMatch(/sudo/i);
    expect(checkDockerfile('FROM node:latest\n').map(({ message }) => message)).toContain(
      'node:latest may be any version',
    );
  });
});

describe('migrations', () => {
  const squawk = (text: string, name = 'services/reporting/migrations/0099_later.sql') =>
    checkMigrations([write(name, text)]).map(({ rule }) => rule);

  it('may lock a table only where it was empty', () => {
    expect(squawk('CREATE INDEX later ON accounts (id);')).toEqual([
      'require-concurrent-index-creation',
    ]);
    const early = 'services/reporting/migrations/0002_early.sql';
    expect(squawk('CREATE INDEX early ON accounts (id);', early)).toEqual([]);
    expect(squawk('CREATE TABLE t (id uuid PRIMARY KEY);\nCREATE INDEX i ON t (id);')).toEqual([]);
  });

  it('may build an index concurrently only outside a transaction', () => {
    const statement = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS later ON accounts (id);';
    expect(squawk(`-- outside a transaction\n${statement}`)).toEqual([]);
    expect(squawk(statement)).toEqual(['transactions']);
    expect(squawk(`-- outside a transaction\n${statement}\nSELECT 1;`)).toContain('transactions');
  });

  it('may not break the release that is still running', () => {
    expect(squawk('ALTER TABLE accounts DROP COLUMN version;')).toContain('ban-drop-column');
    expect(squawk('ALTER TABLE accounts RENAME COLUMN version TO revision;')).toContain(
      'renaming-column',
    );
  });
});

describe('dashboards', () => {
  it('must be named by the component that gives them to Grafana', () => {
    write('dashboards/known.json', '{}');
    write('dashboards/forgotten.json', '{}');
    write(
      'kustomization.yaml',
      'configMapGenerator:\n  - name: known\n    files: [dashboards/known.json]\n',
    );
    expect(checkDashboards(folder).map(({ title }) => title)).toEqual([
      'dashboards/forgotten.json',
    ]);
  });
});
