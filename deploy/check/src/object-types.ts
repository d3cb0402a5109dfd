import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './kustomize';
import type { Finding, Manifest } from './manifest';
import { titleOf } from './manifest';

const CORE = 'kubernetes-models';
/** Where the types of which API group are. */
const PACKAGES: Readonly<Record<string, string>> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'generators.external-secrets.io': '@kubernetes-models/external-secrets',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
};
/** Types that nobody publishes; there are no models of them. */
export const OWN_TYPES = path.join(ROOT, 'deploy/check/src/object-store.d.ts');
const OWN_GROUP = 'barmancloud.cnpg.io';

/** The module with the type, and where there is one the model, of an API version's kinds. */
export function moduleOf(api_version: string): string {
  const [group = '', version] = api_version.includes('/')
    ? api_version.split('/')
    : ['', api_version];
  if (group === OWN_GROUP) return OWN_TYPES;
  const foreign = PACKAGES[group];
  if (foreign !== undefined) return `${foreign}/${group}/${version}`;
  return group === '' ? `${CORE}/${version}` : `${CORE}/${group}/${version}`;
}

/**
 * Compiles every object as a literal of its published type, which refuses what is misspelt, in the
 * wrong place, missing or of the wrong type.
 */
export function checkTypes(manifests: readonly Manifest[]): Finding[] {
  // Below the root: types are looked for in the node_modules above a file.
  mkdirSync(path.join(ROOT, '.tmp'), { recursive: true });
  const directory = mkdtempSync(path.join(ROOT, '.tmp/object-types-'));
  try {
    const lines = manifests.map((manifest, index) => {
      const { apiVersion, kind } = manifest;
      const type = `import('${moduleOf(apiVersion)}').I${kind}`;
      return `export const object${index}: ${type} = ${JSON.stringify(manifest)};`;
    });
    writeFileSync(path.join(directory, 'objects.mts'), `${lines.join('\n')}\n`);
    writeFileSync(
      path.join(directory, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          target: 'es2024',
          module: 'nodenext',
          types: [],
        },
        files: ['objects.mts'],
      }),
    );
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', directory], {
      encoding: 'utf8',
    });
    const findings = [
      ...compiled.stdout.matchAll(/objects\.mts\((\d+),\d+\): error TS\d+: (.*)/g),
    ].map(([, line, message]) => ({
      rule: 'types',
      title: titleOf(manifests[Number(line) - 1] as Manifest),
      message: message ?? '',
    }));
    if (compiled.status !== 0 && findings.length === 0) {
      throw new Error(`The objects could not be compiled: ${compiled.stdout}${compiled.stderr}`);
    }
    return findings;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
