// Prints the path of libfaketime for the tests that travel in time, and fetches it where that can be
// done: as root on Debian or a relative of it. Elsewhere it says in one sentence what to install.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { installPackages } from './debian.mjs';
import { fail } from './lib.mjs';

const ADVICE =
  'The tests that travel in time need libfaketime: install it (Debian: apt-get install ' +
  'libfaketime; Fedora: dnf install libfaketime), or name its libfaketime.so.1 with FAKETIME_LIBRARY.';

function find() {
  const lists = ['/usr/lib', '/usr/lib64'].filter((folder) => existsSync(folder));
  const folders = lists.flatMap((folder) => [
    folder,
    ...readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.endsWith('-linux-gnu'))
      .map((entry) => path.join(folder, entry.name)),
  ]);
  return folders
    .map((folder) => path.join(folder, 'faketime/libfaketime.so.1'))
    .find((file) => existsSync(file));
}

const named = process.env.FAKETIME_LIBRARY;
if (named && !existsSync(named)) fail(`FAKETIME_LIBRARY names ${named}, which is not there.`);
let found = named || find();
if (!found) {
  installPackages(['libfaketime'], 'the tests that travel in time');
  found = find();
}
if (!found) fail(ADVICE);
console.log(found);
