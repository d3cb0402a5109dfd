// Everything that can be checked without running the system: `npm run check`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bin = path.join(root, 'node_modules/.bin');
const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };

const steps = [
  ['types', 'tsc', ['-b']],
  ['types of tests', 'tsc', ['-p', 'tsconfig.test.json']],
  ['format and lint', 'biome', ['ci', '--error-on-warnings']],
  ['patterns take linear time', process.execPath, ['tools/check-patterns.mjs']],
  ['import rules', 'depcruise', ['packages', 'services', 'deploy', 'bench', 'e2e', '--config']],
  ['deployment', process.execPath, ['deploy/check/dist/main.js']],
  ['generated code is fresh', process.execPath, ['tools/generate.mjs', '--check']],
  ['alerts and dashboards', process.execPath, ['tools/check-observability.mjs']],
];

for (const [name, command, args] of steps) {
  const started_ms = Date.now();
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) {
    console.error(`check failed: ${name}`);
    process.exit(1);
  }
  console.log(`ok  ${name} (${((Date.now() - started_ms) / 1000).toFixed(1)} s)`);
}
