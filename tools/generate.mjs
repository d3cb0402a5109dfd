// Regenerates what is generated from the protos: code, descriptors, and the reference pages in
// docs/grpc; and from the table of services: manifests and lists of services. Run by `npm run gen`; CI runs it with --check, which fails when the committed files
// are not what comes out.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareEnumsBelow } from './bare-enums.mjs';
import { filesOf, readTable } from './services.cjs';
import { strictTimesBelow } from './strict-times.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const proto = path.join(root, 'proto');
const env = {
  ...process.env,
  PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`,
};
const run = (command, args, cwd) => execFileSync(command, args, { cwd, env, stdio: 'inherit' });

run('buf', ['lint'], proto);
run('buf', ['generate'], proto);
bareEnumsBelow(path.join(proto, 'src/gen/credit'));
strictTimesBelow(path.join(proto, 'src/gen/credit'));
run(process.execPath, [path.join(proto, 'generate-descriptors.mjs')], proto);
run(process.execPath, [path.join(proto, 'generate-reference.mjs')], proto);

const stale = Object.entries(filesOf(readTable())).filter(([file, text]) => {
  const place = path.join(root, file);
  return !existsSync(place) || readFileSync(place, 'utf8') !== text;
});

if (process.argv.includes('--check')) {
  const changed = execFileSync(
    'git',
    ['status', '--porcelain', '--', 'proto', 'docs/grpc/reference'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (changed !== '') {
    console.error(`Generated code is not fresh; run "npm run gen" and commit:\n${changed}`);
    process.exit(1);
  }
  if (stale.length > 0) {
    const files = stale.map(([file]) => file).join('\n');
    console.error(`Not what deploy/services.json makes; run "npm run gen" and commit:\n${files}`);
    process.exit(1);
  }
} else {
  for (const [file, text] of stale) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}
