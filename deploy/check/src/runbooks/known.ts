import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { embeddedManifests, ROOT } from '../kustomize';
import type { Manifest } from '../manifest';
import { METRICS_OF_OTHERS } from './tools';

/** What documents may speak of. */
export interface Known {
  readonly manifests: readonly Manifest[];
  /** The shipped sources of a service, or of `packages`. */
  readonly sources: ReadonlyMap<string, string>;
  /** The names that services give their metrics, without units and what an exporter adds. */
  readonly own_metrics: ReadonlySet<string>;
  readonly other_metrics: ReadonlySet<string>;
  /** The names of all alerts. */
  readonly alerts: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  /** Operations of the API: `GET /accounts/{account_id}`. */
  readonly operations: readonly string[];
}

const SUFFIX = /_(?:seconds|bytes|bucket|count|sum|total|ratio)$/;

/** A metric's name as its service gave it. */
export function bareMetric(name: string): string {
  const shorter = name.replace(SUFFIX, '');
  return shorter === name ? name : bareMetric(shorter);
}

/** Reads what there is; `manifests` are production's. */
export function readKnown(manifests: readonly Manifest[]): Known {
  const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
  const packages = foldersOf('packages').flatMap((name) => filesOf(`packages/${name}/src`));
  const services = foldersOf('services').map(
    (name) => [name, filesOf(`services/${name}/src`)] as const,
  );
  const files = new Map([['packages', packages], ...services]);
  const rules = manifests
    .filter(({ kind }) => kind === 'PrometheusRule')
    .flatMap(({ spec }) => [...JSON.stringify(spec).matchAll(/"(record|alert)":"([^"]+)"/g)]);
  const named = (as: string) =>
    rules.filter(([, key]) => key === as).map(([, , name = '']) => name);
  const { cluster } = JSON.parse(read('tools/observability/metrics.json')) as { cluster: string[] };
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const { paths } = JSON.parse(read('docs/openapi.json')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return {
    manifests: [...manifests, ...embeddedManifests(manifests)],
    sources: new Map([...files].map(([name, texts]) => [name, texts.join('\n')])),
    own_metrics: new Set([...files.values()].flat().flatMap(metricsIn).map(bareMetric)),
    other_metrics: new Set([...named('record'), ...cluster, ...METRICS_OF_OTHERS]),
    alerts: new Set(named('alert')),
    scripts: new Set(Object.keys(scripts)),
    operations: Object.entries(paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
    ),
  };
}

/**
 * Of a file that has to do with meters, the words in quotes that have the form of a metric's name:
 * dots stand for what Prometheus shows as `_`.
 */
function metricsIn(source: string): string[] {
  if (!/Meter|METER|observeFigures/.test(source)) return [];
  return [...source.matchAll(/'([a-z]+(?:[._][a-z]+)*)'/g)].map(([, name = '']) =>
    name.replaceAll('.', '_'),
  );
}

function foldersOf(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder));
}

/** The texts of all shipped sources in a folder. */
function filesOf(folder: string): string[] {
  const root = path.join(ROOT, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(root, name), 'utf8'));
}
