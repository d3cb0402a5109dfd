import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC_PATHS } from '@credit/console';
import { BASE_PATH, operations } from '@credit/contract';
import { isAppPath } from '@credit/gateway/app';
import { loadAll } from 'js-yaml';
import { ROOT } from './kustomize';

// What the gateway serves is reached from outside by both ways in, and its probes by neither.

interface Way {
  readonly path: string;
  readonly is_exact: boolean;
  /** How long a request may take. */
  readonly longest_s: number;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly rules: readonly {
      readonly matches?: readonly {
        readonly path: { readonly type: string; readonly value: string };
      }[];
      readonly timeouts?: { readonly request: string };
      readonly http?: {
        readonly paths: readonly { readonly path: string; readonly pathType: string }[];
      };
    }[];
  };
}

function manifests(name: string): Manifest[] {
  const file = path.join(ROOT, 'deploy/k8s/components', name);
  return loadAll(readFileSync(file, 'utf8')) as Manifest[];
}

const WAYS: Readonly<Record<string, readonly Way[]>> = {
  'Gateway API': manifests('gateway-api/route.yaml').flatMap(({ spec }) =>
    spec.rules.flatMap(({ matches = [], timeouts }) =>
      matches.map(({ path: { type, value } }) => ({
        path: value,
        is_exact: type === 'Exact',
        longest_s: Number.parseInt(timeouts?.request ?? '0', 10),
      })),
    ),
  ),
  Ingress: manifests('ingress/ingress.yaml').flatMap(({ metadata, spec }) =>
    spec.rules.flatMap(({ http }) =>
      (http?.paths ?? []).map((one) => ({
        path: one.path,
        is_exact: one.pathType === 'Exact',
        longest_s: Number(
          metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-read-timeout'] ?? 0,
        ),
      })),
    ),
  ),
};

/** The way that a path takes: of those that match, the longest. */
function wayOf(ways: readonly Way[], wanted: string): Way | undefined {
  return ways
    .filter((way) =>
      way.is_exact
        ? way.path === wanted
        : way.path === wanted || wanted.startsWith(`${way.path.replace(/\/$/, '')}/`),
    )
    .sort((a, b) => b.path.length - a.path.length)[0];
}

const PAGES = [
  ...PUBLIC_PATHS,
  '/console',
  '/console/sign-in',
  '/console/static/console.css',
  '/docs',
  '/docs/guides/quick-start',
  '/favicon.ico',
  '/llms.txt',
  '/my',
  '/my/signed-in',
  '/static/icon.svg',
];

describe.each(Object.entries(WAYS))('by %s', (_name, ways) => {
  it.each(PAGES)('%s, a page, is reached', (page) => {
    expect(isAppPath({ url: page, method: 'GET' } as never)).toBe(true);
    expect(wayOf(ways, page)).toBeDefined();
  });

  it.each(['/healthz', '/readyz', '/metrics'])('%s is not', (probe) => {
    expect(wayOf(ways, probe)).toBeUndefined();
  });

  it('every operation is reached, and what carries files has time for them', () => {
    for (const { id, path: where, upload, stream } of Object.values(operations) as {
      id: string;
      path: string;
      upload?: unknown;
      stream?: unknown;
    }[]) {
      const way = wayOf(ways, `${BASE_PATH}${where.replace(/\{\w+\}/g, 'x')}`);
      expect([id, way === undefined]).toEqual([id, false]);
      const carries_files = upload !== undefined || stream !== undefined;
      if (carries_files) expect([id, way?.longest_s]).toEqual([id, 3_600]);
    }
  });
});
