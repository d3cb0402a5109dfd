import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readTable } from '../../../tools/services.cjs';
import { PLATFORM_VARIABLES } from './configuration-rules';
import { ROOT } from './kustomize';

/** All names that code reads without a schema: `process.env.X`, `{ X } = environment`. */
function namesRead(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'))
    .flatMap((text) => [
      ...[...text.matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name]) => name ?? ''),
      ...[...text.matchAll(/\{ ([A-Z_, ]+) \} = environment;/g)].flatMap(([, names = '']) =>
        names.split(', '),
      ),
    ]);
}

it('knows every variable that processes read beside their schemas', () => {
  const folders = [
    'packages/platform/src',
    ...['gateway', ...readTable().map(({ name }) => name)].map((name) => `services/${name}/src`),
  ];
  const names = new Set(folders.flatMap(namesRead));
  expect(names).toContain('LOG_LEVEL');
  // What breaks a system on purpose is refused in a manifest, as whatever nobody knows.
  expect([...names].filter((name) => !PLATFORM_VARIABLES.has(name))).toEqual(['CRASH_POINTS']);
});
