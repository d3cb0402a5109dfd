// `node tools/collect-service.mjs SERVICE FOLDER`: puts into an empty folder what one built service
// needs to run, and nothing else: its own code, its workspaces' and, package by package, what their
// `dependencies` lead to. The images are made of it. (npm itself would also install what workspaces
// need for their tests.)
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

const [service, target] = process.argv.slice(2);
const main = `services/${service}/dist/main.js`;
if (target === undefined || !existsSync(path.join(root, main))) {
  console.error('usage: node tools/collect-service.mjs SERVICE FOLDER, after a build');
  process.exit(1);
}

const manifestOf = (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json')));
const workspace_folders = new Map(
  [
    'proto',
    'packages/console',
    'packages/contract',
    'packages/drawing',
    'packages/furnishing',
    'packages/pages',
    'packages/platform',
    'packages/portal',
    `services/${service}`,
  ].map((folder) => [manifestOf(folder).name, folder]),
);

/** As Node looks for it: in the folder's own node_modules, then in those above. */
function find(name, from) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(root, candidate, 'package.json'))) return candidate;
    if (folder === '.') return undefined;
  }
}

const packages = new Set();
const workspaces = new Set();
const open = [`services/${service}`];
workspaces.add(open[0]);
while (open.length > 0) {
  const folder = open.pop();
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
  } = manifestOf(folder);
  for (const name of Object.keys({
    ...peerDependencies,
    ...optionalDependencies,
    ...dependencies,
  })) {
    const workspace = workspace_folders.get(name);
    const found = workspace ?? find(name, folder);
    if (found === undefined) {
      if (name in dependencies && !(name in optionalDependencies)) {
        throw new Error(`${folder} needs ${name}, which is not installed.`);
      }
      continue;
    }
    const known = workspace === undefined ? packages : workspaces;
    if (known.has(found)) continue;
    known.add(found);
    open.push(found);
  }
}

/** Reports use the regular weight; all nine of a Chinese font are ninety megabytes. */
function isUnusedFont(file) {
  const [, part] = /@expo-google-fonts\/[^/]+\/(\d00\w+|[^/]+\.png)/.exec(file) ?? [];
  return part !== undefined && (part !== '400Regular' || file.endsWith('.png'));
}

for (const folder of packages) {
  const source = path.join(root, folder);
  cpSync(source, path.join(target, folder), {
    recursive: true,
    // Packages below a package come for themselves, when something needs them.
    filter: (file) =>
      file === source || (path.basename(file) !== 'node_modules' && !isUnusedFont(file)),
  });
}
for (const folder of workspaces) {
  for (const part of ['dist', 'migrations', 'static', 'descriptors.binpb']) {
    if (!existsSync(path.join(root, folder, part))) continue;
    cpSync(path.join(root, folder, part), path.join(target, folder, part), {
      recursive: true,
      filter: (file) => !/\.(d\.ts|map|tsbuildinfo)$|\.test\.js$/.test(file),
    });
  }
  const { devDependencies: _, ...manifest } = manifestOf(folder);
  writeJson(path.join(target, folder, 'package.json'), manifest);
  const link = path.join(target, 'node_modules', manifest.name);
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(path.relative(path.dirname(link), path.join(target, folder)), link);
}
// The gateway serves the guides, from where they are in the repository.
if (service === 'gateway') {
  cpSync(path.join(root, 'docs'), path.join(target, 'docs'), {
    recursive: true,
    filter: (file) => !['img', 'adr'].includes(path.relative(path.join(root, 'docs'), file)),
  });
}
const { name, version, license } = manifestOf('.');
writeJson(path.join(target, 'package.json'), {
  name: `${name}-${service}`,
  version,
  private: true,
  license,
  workspaces: [...workspaces].sort(),
});
writeFileSync(path.join(target, 'main.js'), `require('./${main}');\n`);
console.log(`${service}: ${workspaces.size} workspaces, ${packages.size} packages`);

function writeJson(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
