// Every package that a manifest names has its line in docs/PACKAGES.md, and every line its package.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';
import { faultsOf, PAGE } from './packages.cjs';

const { workspaces } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folders = workspaces.flatMap((pattern) => {
  const [parent, rest] = pattern.split('/*');
  return rest === undefined
    ? [pattern]
    : readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`);
});
const manifests = ['.', ...folders].map((folder) =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')),
);
const names = new Set(manifests.flatMap(namesOf).filter((name) => !name.startsWith('@credit/')));
const faults = faultsOf(readFileSync(path.join(root, PAGE), 'utf8'), [...names]);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function namesOf(manifest) {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
}
