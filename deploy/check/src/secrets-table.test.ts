import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildOverlay, overlayNames, ROOT, requireKubectl } from './kustomize';
import { containersOf, type Manifest, ofKind, workloadsOf } from './manifest';

const table = readFileSync(path.join(ROOT, 'docs/SECRETS.md'), 'utf8');

beforeAll(() => requireKubectl());

/** The Secrets that objects name, and the variables that are filled from them. */
function secretsNamed(manifests: readonly Manifest[]): string[] {
  const pods = workloadsOf(manifests).flatMap(({ pod }) => [
    ...(pod.volumes ?? []).flatMap(({ secret, projected }) => [
      secret?.secretName,
      ...(projected?.sources ?? []).flatMap(({ secret: source }) => [
        source?.name,
        // The variable that it stands for.
        ...(source?.items ?? [])
          .map(({ path: file }) => file)
          .filter((file) => !file?.includes('.')),
      ]),
    ]),
    ...containersOf(pod)
      .flatMap(({ env = [] }) => env)
      .flatMap(({ name, valueFrom }) =>
        valueFrom?.secretKeyRef ? [valueFrom.secretKeyRef.name, name] : [],
      ),
  ]);
  const issued = ofKind(manifests, 'Certificate').map(
    ({ spec }) => (spec as { secretName: string }).secretName,
  );
  const stored = ofKind(manifests, 'ExternalSecret').map(({ metadata }) => metadata.name);
  return [...new Set([...pods, ...issued, ...stored])].filter((name) => name !== undefined);
}

/** Those that the table of all secrets has no word of. */
function unlisted(manifests: readonly Manifest[]): string[] {
  const services = ofKind(manifests, 'Deployment').map(({ metadata }) => metadata.name);
  const servers = ofKind(manifests, 'Cluster').map(({ metadata }) => metadata.name);
  return secretsNamed(manifests).filter((named) => {
    // Each database server has what the table says of the first.
    const server = servers.find((one) => named.startsWith(`${one}-`));
    const name = server === undefined ? named : named.replace(server, 'credit-db');
    const [service = '', kind] = name.split(/-(?=tls$|database$)/);
    const general = kind !== undefined && services.includes(service) ? `SERVICE-${kind}` : name;
    const variable = name.replace(/^(DATABASE_LOGIN)_(LIVE|TEST)$/, '$1');
    return ![general, variable].some((word) => table.includes(`\`${word}\``));
  });
}

it.each(overlayNames())('names every secret that %s has', (overlay) => {
  const manifests = buildOverlay(overlay);
  expect(secretsNamed(manifests).length).toBeGreaterThan(20);
  expect(unlisted(manifests)).toEqual([]);
});

it('finds one that the table does not name', () => {
  const manifests = buildOverlay('prod');
  const [identity] = workloadsOf(manifests).filter(
    ({ title, serves }) => serves && title === 'Deployment identity',
  );
  identity?.pod.containers[0]?.env?.push({
    name: 'NEW_PEPPER',
    valueFrom: { secretKeyRef: { name: 'identity-pepper', key: 'current' } },
  });
  expect(unlisted(manifests)).toEqual(['identity-pepper', 'NEW_PEPPER']);
});
