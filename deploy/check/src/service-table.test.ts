import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SERVICE_NAMES } from '@credit/gateway/clients';
import { SERVICES } from '@credit/local/services';
import { BUS_USE } from '@credit/platform/bus';
import { loadAll } from 'js-yaml';
import {
  filesOf,
  readTable,
  type TableServer,
  type TableService,
} from '../../../tools/services.cjs';
import { ROOT } from './kustomize';
import type { Manifest } from './manifest';

const table = readTable();
const names = table.map(({ name }) => name);
const here = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const COLLECTIONS: TableService = {
  name: 'collections',
  peers: ['reporting'],
  database: 'two',
  bus: true,
  documents: true,
  secrets: [{ variable: 'COLLECTIONS_KEY', secret: 'collections-keys', key: 'current' }],
  config: { LOG_LEVEL: 'info', DB_POOL_SIZE: '4' },
  cpu: '100m',
  memory: { request: '128Mi', limit: '512Mi' },
  replicas: { least: 2, most: 3 },
};

const { servers } = JSON.parse(here('deploy/services.json')) as {
  servers: readonly TableServer[];
};
/** Live data beside that of disputes, test data with all others. */
const SERVERS_WITH_COLLECTIONS = servers.map((server) =>
  server.services.includes('disputes')
    ? { ...server, services: [...server.services, COLLECTIONS.name] }
    : server,
);

describe('the table of services', () => {
  it('is what all that is made of it shows: npm run gen writes it anew', () => {
    const stale = Object.entries(filesOf(table)).filter(
      ([file, text]) => !existsSync(path.join(ROOT, file)) || here(file) !== text,
    );
    expect(stale.map(([file]) => file)).toEqual([]);
  });

  it('leaves nothing behind in the folder of a service', () => {
    for (const { name, jobs = [] } of table) {
      const folder = `deploy/k8s/base/${name}`;
      const made = Object.keys(filesOf(table)).filter((file) => file.startsWith(`${folder}/`));
      const by_hand = jobs.flatMap((job) => [`${job}.yaml`, `${job}-like-the-service.yaml`]);
      expect(readdirSync(path.join(ROOT, folder)).sort()).toEqual(
        [...made.map((file) => path.basename(file)), ...by_hand].sort(),
      );
    }
  });

  it('has every service that there is, and no other', () => {
    expect(readdirSync(path.join(ROOT, 'services')).sort()).toEqual(['gateway', ...names].sort());
    expect(SERVICES.map(({ name }) => name)).toEqual([...names, 'gateway']);
    expect([...SERVICE_NAMES]).toEqual(names);
    expect(Object.keys(BUS_USE)).toEqual(table.filter(({ bus }) => bus).map(({ name }) => name));
    expect(
      names.filter((name) => !existsSync(path.join(ROOT, 'services', name, 'migrations'))),
    ).toEqual([]);
  });

  it.each<[string, Partial<TableService> & Record<string, unknown>]>([
    ['a name is 2 to 20 small letters', { name: '../collections' }],
    ['a name is 2 to 20 small letters', { name: 'a'.repeat(21) }],
    ['the name is taken', { name: 'gateway' }],
    ['stands there twice', { name: 'reporting' }],
    ['there is no peer nobody', { peers: ['nobody'] }],
    ['there is no peer collections', { peers: ['collections'] }],
    ['database is "one" or "two"', { database: 'three' as 'two' }],
    ['replicas are at least 2, and at most no fewer', { replicas: { least: 3, most: 2 } }],
    ['databse means nothing', { databse: 'two' }],
  ])('refuses what no manifest can be made of: %s', (sentence, wrong) => {
    expect(() => filesOf([...table, { ...COLLECTIONS, ...wrong }])).toThrow(sentence);
  });

  it('refuses a call against the order of services', () => {
    const [first, ...others] = table;
    if (first === undefined) throw new Error('The table is empty.');
    expect(() => filesOf([{ ...first, peers: ['webhooks'] }, ...others])).toThrow(
      'its peer webhooks must stand before it',
    );
  });

  it.each<[string, (first: TableServer) => TableServer]>([
    ['no server has identity', (first) => ({ ...first, services: [] })],
    [
      'webhooks_live is on identity-db as well',
      (first) => ({ ...first, services: ['identity', 'webhooks'] }),
    ],
    ['there is no service nobody', (first) => ({ ...first, services: ['identity', 'nobody'] })],
    ['storage is a number of Gi', (first) => ({ ...first, storage: 'much' })],
    ['is no name of a server', (first) => ({ ...first, name: 'Identity' })],
  ])('refuses servers that would leave a service without its data: %s', (sentence, change) => {
    const [first, ...others] = servers;
    if (first === undefined) throw new Error('There are no servers.');
    expect(() => filesOf(table, here, undefined, [change(first), ...others])).toThrow(sentence);
  });

  it('refuses a common file whose place for services was lost', () => {
    expect(() =>
      filesOf(table, (file) => here(file).replaceAll('DATABASE_SERVICES', 'NAMES')),
    ).toThrow(/job\.yaml: 0 places look like/);
  });
});

describe('a service that is new in the table', () => {
  const made = filesOf([...table, COLLECTIONS], here, undefined, SERVERS_WITH_COLLECTIONS);
  let folder: string;
  let built: Manifest[];
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'service-table-'));
    cpSync(path.join(ROOT, 'deploy/k8s'), path.join(folder, 'deploy/k8s'), { recursive: true });
    for (const [file, text] of Object.entries(made)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    const { stdout, stderr, status } = spawnSync(
      'kubectl',
      ['kustomize', path.join(folder, 'deploy/k8s/overlays/prod')],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    if (status !== 0) throw new Error(stderr);
    built = loadAll(stdout) as Manifest[];
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('changes these files beside its own by itself', () => {
    const changed = Object.entries(made)
      .filter(([file]) => !file.startsWith('deploy/k8s/base/collections/'))
      .filter(([file, text]) => here(file) !== text);
    expect(changed.map(([file]) => file).sort()).toEqual([
      'deploy/Dockerfile',
      'deploy/check/package.json',
      'deploy/check/tsconfig.json',
      'deploy/compose.yaml',
      'deploy/k8s/apply.sh',
      'deploy/k8s/base/gateway/deployment.yaml',
      'deploy/k8s/base/gateway/network-policy.yaml',
      'deploy/k8s/base/kustomization.yaml',
      'deploy/k8s/base/provision/job.yaml',
      'deploy/k8s/base/reporting/network-policy.yaml',
      'deploy/k8s/components/cnpg/network-policy.yaml',
      'deploy/k8s/components/external-secrets/secrets.yaml',
      'deploy/k8s/components/mtls/certificates.yaml',
      'deploy/k8s/components/nats/network-policy.yaml',
      'deploy/k8s/components/prometheus-rules/rules.yaml',
      'deploy/k8s/components/restore/network-policy.yaml',
      'deploy/k8s/components/servers/addresses.yaml',
      'deploy/k8s/components/servers/cases-db.yaml',
      'deploy/k8s/components/servers/kustomization.yaml',
      'deploy/k8s/components/servers/provision/jobs.yaml',
      'deploy/k8s/components/servers/test-db.yaml',
      'deploy/k8s/overlays/dev/kustomization.yaml',
      'deploy/k8s/overlays/dev/secrets.yaml',
      'deploy/k8s/overlays/prod-large/kustomization.yaml',
      'deploy/k8s/overlays/prod/kustomization.yaml',
      'tools/observability/rules.test.yaml',
      'tsconfig.json',
      'tsconfig.test.json',
    ]);
  });

  it('is deployed with all that the others have', () => {
    const kinds = built
      .filter(({ metadata }) => /^collections\b/.test(metadata?.name ?? ''))
      .map(({ kind, metadata }) => `${kind} ${metadata?.name?.replace(/-[a-z0-9]{10}$/, '')}`);
    expect(kinds.sort()).toEqual([
      'Certificate collections',
      'ConfigMap collections',
      'Deployment collections',
      'ExternalSecret collections-database',
      'HorizontalPodAutoscaler collections',
      'Job collections-migrate',
      'NetworkPolicy collections',
      'PodDisruptionBudget collections',
      'Service collections',
      'ServiceAccount collections',
    ]);
  });

  it.each(['reporting', 'credit-db', 'nats', 'gateway'])('is known to the policy of %s', (name) => {
    const policies = built.filter(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata?.name === name,
    );
    expect(JSON.stringify(policies)).toContain('"collections"');
  });

  it('keeps the lists of packages readable', () => {
    expect(JSON.parse(made['deploy/check/package.json'] ?? '').dependencies).toHaveProperty(
      '@credit/collections',
    );
    expect(JSON.parse(made['tsconfig.json'] ?? '').references).toContainEqual({
      path: 'services/collections',
    });
    expect(
      JSON.parse(made['tsconfig.test.json'] ?? '').compilerOptions.paths['@credit/collections/*'],
    ).toEqual(['./services/collections/src/*']);
  });
});
