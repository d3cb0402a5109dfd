import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import type { Manifest } from './manifest';

/** The project's root. */
export const ROOT = path.resolve(__dirname, '../../..');
const OVERLAYS = path.join(ROOT, 'deploy/k8s/overlays');
/** Older ones have a kustomize that does not know all that is used here. */
const OLDEST_KUBECTL = [1, 27] as const;

/** The folders in `overlays`. */
export function overlayNames(): string[] {
  return readdirSync(OVERLAYS).sort();
}

/** Throws a sentence when there is no kubectl, or one that is too old. */
export function requireKubectl(): void {
  const wanted = OLDEST_KUBECTL.join('.');
  const asked = spawnSync('kubectl', ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  if (asked.error !== undefined) {
    throw new Error(`Manifests were not checked: install kubectl ${wanted} or newer.`);
  }
  const text = /"gitVersion":\s*"v(\d+)\.(\d+)/.exec(asked.stdout);
  const [major, minor] = [Number(text?.[1]), Number(text?.[2])];
  if (!(major > OLDEST_KUBECTL[0] || (major === OLDEST_KUBECTL[0] && minor >= OLDEST_KUBECTL[1]))) {
    throw new Error(
      `Manifests were not checked: kubectl ${wanted} or newer is needed, not ${text?.[0] ?? 'this one'}.`,
    );
  }
}

/** All objects of an overlay, as they would be applied. */
export function buildOverlay(name: string): Manifest[] {
  const built = spawnSync('kubectl', ['kustomize', path.join(OVERLAYS, name)], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (built.status !== 0) throw new Error(`The overlay ${name} does not build: ${built.stderr}`);
  return loadAll(built.stdout) as Manifest[];
}

/** What is for a whole cluster, so in no overlay: what a drill may make. */
export function clusterWide(): Manifest[] {
  const file = path.join(ROOT, 'deploy/k8s/drill-admission.yaml');
  return loadAll(readFileSync(file, 'utf8')) as Manifest[];
}

/** All that production may hold: every day, with what an operator may choose, and on the worst day. */
export function everyDayAndTheWorst(): Manifest[] {
  const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
  const found = new Map<string, Manifest>();
  for (const overlay of ['prod-moved', 'prod', 'prod-valkey']) {
    for (const one of buildOverlay(overlay)) {
      if (!found.has(nameOf(one))) found.set(nameOf(one), one);
    }
  }
  return [...found.values()];
}

/** Objects that are kept in a ConfigMap until a job applies them. */
export function embeddedManifests(manifests: readonly Manifest[]): Manifest[] {
  return manifests
    .filter(({ kind }) => kind === 'ConfigMap')
    .flatMap(({ data }) => Object.entries(data ?? {}))
    .filter(([file, text]) => file.endsWith('.yaml') && /^apiVersion: /m.test(text))
    .flatMap(([, text]) => loadAll(text) as Manifest[]);
}
