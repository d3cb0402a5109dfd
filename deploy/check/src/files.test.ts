import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverAuthorization } from '@credit/platform/bus';
import { checkCompose, composeNatsConfiguration, NATS_FILE } from './compose';
import { checkDashboards } from './dashboards';
import { baseImages, checkDockerfile } from './dockerfile';
import { ROOT } from './kustomize';
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

const RIGHTS_FILE = path.join(ROOT, 'deploy/k8s/components/nats/authorization.conf');

// UPDATE_GOLDEN=1 writes them.
describe('configurations of NATS', () => {
  it('are made of what the services do on the bus', () => {
    for (const [file, made] of [
      [RIGHTS_FILE, serverAuthorization()],
      [NATS_FILE, composeNatsConfiguration()],
    ] as const) {
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, made);
      expect(readFileSync(file, 'utf8')).toBe(made);
    }
  });
});

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

describe('the compose file', () => {
  const content = readFileSync(path.join(ROOT, 'deploy/compose.yaml'), 'utf8');
  const broken = (from: string | RegExp, to: string) => {
    const text = content.replace(from, to);
    expect(text).not.toBe(content);
    return checkCompose(text).map(({ title, message }) => `${title}: ${message}`);
  };

  it('has nothing wrong with it', () => {
    expect(checkCompose()).toEqual([]);
  });

  it('must set what services need, and nothing else', () => {
    expect(broken(/ +HTTP_ADDRESS: .*\n/, '')).toContain('scoring: HTTP_ADDRESS is not set');
    expect(broken('BIND_ADDRESS', 'BIND_ADRESS')).toEqual([
      'gateway: BIND_ADRESS is nothing that gateway knows',
    ]);
    expect(broken(/ +DATABASE_SERVICES: .*\n/, '')).toEqual([
      'provision: DATABASE_SERVICES is not set',
    ]);
  });

  it('may hold no secret, no open port and no privilege', () => {
    expect(broken('$'.concat('{BOOTSTRAP_PASSWORD}'), 'letmeinletmein')).toContain(
      'identity: BOOTSTRAP_PASSWORD is in the file',
    );
    expect(broken('"127.0.0.1:8080:8080"', '"8080:8080"')).toEqual([
      'gateway: is open to the network on 8080:8080',
    ]);
    expect(broken('read_only: true', 'read_only: false')).toContain('webhooks: is not hardened');
  });

  it('writes nothing of what statements were given into a log', () => {
    expect(broken(/ +- --log_parameter_max_length=0\n/, '')).toEqual([
      'postgres: log_parameter_max_length is not set and must be 0',
    ]);
    expect(broken('--log_statement=none', '--log_statement=all')).toEqual([
      'postgres: log_statement is all and must be none',
    ]);
  });

  it('gives each service its own rights on NATS', () => {
    const text = readFileSync(NATS_FILE, 'utf8');
    expect(text).toBe(composeNatsConfiguration());
    const wider = text.replace('credit.v1.*.*.audit_recorded', 'credit.v1.>');
    expect(checkCompose(content, wider).map(({ message }) => message)).toEqual([
      'gives other rights than services use',
    ]);
    expect(
      broken(/nats:\/\/webhooks:\$\{NATS_PASSWORD_WEBHOOKS\}/, 'nats://webhooks:webhooks'),
    ).toContain('webhooks: NATS_URL is in the file');
  });

  it('may wait only for what says when it is there', () => {
    expect(broken(' identity: { condition', ' identiy: { condition')).toEqual([
      'gateway: waits for identiy, which does not exist',
    ]);
    expect(broken('nats:2.12.1-alpine', 'nats')).toEqual([
      'nats: docker.io/library/nats may be any version',
    ]);
  });
});
