import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildOverlay, ROOT } from './kustomize';

/** All dotted names in the code, those of instruments among them, as Prometheus shows them. */
function dottedNames(): Set<string> {
  const files = ['packages/platform/src', 'services'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(^|\/)src\/|^[a-z]+\//.test(file) && /(?<!\.test)\.ts$/.test(file))
      .filter((file) => !file.includes('node_modules') && !file.includes('dist/'))
      .map((file) => path.join(ROOT, folder, file)),
  );
  return new Set(
    files
      .map((file) => readFileSync(file, 'utf8'))
      .flatMap((text) => [...text.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)])
      .map(([, name = '']) => name.replaceAll('.', '_')),
  );
}

it('scales by metrics that services show', () => {
  const queries = buildOverlay('prod')
    .filter(({ kind }) => kind === 'ScaledObject')
    .flatMap(({ spec }) => (spec as { triggers: Array<{ metadata: { query?: string } }> }).triggers)
    .flatMap(({ metadata }) => metadata.query ?? []);
  const asked = queries.flatMap((query) =>
    [...query.matchAll(/([a-z_]+)\{/g)].map(([, name]) => name),
  );
  expect(asked).toEqual([
    'http_server_active_requests',
    'consumer_pending',
    'consumer_pending',
    'webhooks_queue_due',
  ]);
  const shown = dottedNames();
  for (const name of asked) expect(shown).toContain(name);
});
