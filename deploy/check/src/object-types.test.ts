import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { buildOverlay, ROOT } from './kustomize';
import type { Finding, Manifest } from './manifest';
import { checkTypes } from './object-types';

const metadata = { name: 'wrong', namespace: 'credit' };

/** What is wrong, and how the compiler says so. */
const WRONG: ReadonlyArray<readonly [Manifest, RegExp]> = [
  [
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gateway' },
        maxReplica: 4,
      },
    },
    /maxReplica/,
  ],
  [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      // A rule in the wrong place would allow nothing, silently.
      spec: { podSelector: {}, policyTypes: ['Egress'], ports: [{ port: 443 }] },
    },
    /ports/,
  ],
  [
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata,
      spec: { scaleTargetRef: { name: 'gateway' }, triggers: [{ type: 'cpu', metadatas: {} }] },
    },
    /metadata/,
  ],
  [
    {
      apiVersion: 'postgresql.cnpg.io/v1',
      kind: 'Cluster',
      metadata,
      spec: { instances: 3, postgresql: { synchronus: { method: 'any', number: 1 } } },
    },
    /synchronus/,
  ],
  [
    {
      apiVersion: 'barmancloud.cnpg.io/v1',
      kind: 'ObjectStore',
      metadata,
      spec: { configuration: { destinationPath: 'http://elsewhere' } },
    },
    /destinationPath|http:\/\/elsewhere/,
  ],
  [
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata,
      spec: { secretName: 'wrong-tls', issuerRef: { name: 'credit-authority' }, dnsName: ['x'] },
    },
    /dnsName/,
  ],
];

describe('types of objects', () => {
  it('refuses what is misspelt, misplaced or of the wrong kind, and nothing else', () => {
    const right = buildOverlay('dev').slice(0, 20);
    const findings = checkTypes([...right, ...WRONG.map(([manifest]) => manifest)]);
    expect(findings.map(({ title }) => title)).toEqual(WRONG.map(([{ kind }]) => `${kind} wrong`));
    WRONG.forEach(([, message], index) => {
      expect(findings[index]?.message).toMatch(message);
    });
  });

  it('refuses values that have the right type and the wrong form', () => {
    const wrong: Manifest = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1.5, selector: {} },
    };
    // The models are ES modules, which jest does not load: the built check does.
    const script = `require(${JSON.stringify(path.join(ROOT, 'deploy/check/dist/object-schemas.js'))})
      .checkSchemas(JSON.parse(process.argv[1])).then((found) => console.log(JSON.stringify(found)))`;
    const found = JSON.parse(
      execFileSync(process.execPath, ['-e', script, JSON.stringify([wrong])], { encoding: 'utf8' }),
    ) as Finding[];
    expect(found.map(({ title }) => title)).toEqual(['PodDisruptionBudget wrong']);
  });
});
