// Everything that can be checked without running the system: `npm run check`.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bin = path.join(root, 'node_modules/.bin');
const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };

// Each stage waits for the one before it; what is in one changes nothing, and runs side by side.
const stages = [
  [['types', 'tsc', ['-b']]],
  [
    ['types of tests', 'tsc', ['-p', 'tsconfig.test.json']],
    ['patterns take linear time', process.execPath, ['tools/check-patterns.mjs']],
    ['import rules', 'depcruise', ['packages', 'services', 'deploy', 'bench', 'e2e', '--config']],
    ['alerts and dashboards', process.execPath, ['tools/check-observability.mjs']],
    ['packages have reasons', process.execPath, ['tools/check-packages.mjs']],
    ['format and lint', 'biome', ['ci', '--error-on-warnings']],
    ['deployment', process.execPath, ['deploy/check/dist/main.js']],
  ],
  // Writes what it makes into the tree, to see whether git finds it changed.
  [['generated code is fresh', process.execPath, ['tools/generate.mjs', '--check']]],
];

/** Runs a step; what it printed is shown in one piece. */
async function carryOut([name, command, args]) {
  const started_ms = Date.now();
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => printed.push(chunk));
  }
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  process.stdout.write(Buffer.concat(printed));
  const took = `${((Date.now() - started_ms) / 1000).toFixed(1)} s`;
  console.log(status === 0 ? `ok  ${name} (${took})` : `check failed: ${name}`);
  return status === 0;
}

for (const steps of stages) {
  const waiting = [...steps];
  const worker = async () => {
    const outcomes = [];
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      outcomes.push(await carryOut(step));
    }
    return outcomes;
  };
  const workers = Array.from({ length: Math.max(1, availableParallelism()) }, worker);
  const outcomes = (await Promise.all(workers)).flat();
  if (outcomes.includes(false)) {
    // What was printed is to reach whoever reads it.
    process.exitCode = 1;
    break;
  }
}
