// Prints the path of a Chromium for the tests of /docs, and fetches one where that can be done:
// as root on Debian or a relative of it. Elsewhere it says in one sentence what to install.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { installPackages } from './debian.mjs';
import { fail } from './lib.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const VERSION_TIMEOUT_MS = 20_000;
const ADVICE =
  'The browser tests of /docs need Chromium: install it (Debian: apt-get install chromium; ' +
  'Fedora: dnf install chromium; macOS: brew install --cask chromium), or name one with CHROMIUM.';

/** On Ubuntu a package of this name may hold nothing but advice; only one that runs will do. */
function works(file) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  const { status, stdout } = spawnSync(file, ['--version', '--no-sandbox'], {
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 && /Chrom/.test(stdout);
}

function find() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/snap/bin'];
  const files = folders
    .filter((folder) => folder !== '')
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [...new Set(files)].find(works);
}

const named = process.env.CHROMIUM;
if (named && !works(named)) fail(`CHROMIUM names ${named}, which does not run as a Chromium.`);
let found = named || find();
if (!found) {
  installPackages(['chromium'], 'the browser tests of /docs');
  found = find();
}
if (!found) fail(ADVICE);
console.log(found);
