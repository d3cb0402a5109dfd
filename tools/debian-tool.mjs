// A program of another project that tests need: found, or installed where that can be done (as root on
// Debian or a relative of it), or asked for in one sentence.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { fail } from './lib.mjs';

const VERSION_TIMEOUT_MS = 20_000;
const APT_TIMEOUT_MS = 300_000;

/** Whether a file runs; on Ubuntu a package of the right name may hold nothing but advice. */
function works(file, { version_args, version_says }) {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return false;
  }
  const { status, stdout, stderr } = spawnSync(file, version_args, {
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
  });
  return status === 0 && version_says.test(`${stdout}${stderr}`);
}

function find(tool) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/snap/bin'];
  const files = folders
    .filter((folder) => folder !== '')
    .flatMap((folder) => tool.names.map((name) => path.join(folder, name)));
  return [...new Set(files)].find((file) => works(file, tool));
}

function apt(...args) {
  // The path alone goes to standard output.
  const { status, error } = spawnSync('apt-get', ['-q', ...args], {
    stdio: ['ignore', 2, 2],
    timeout: APT_TIMEOUT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return error === undefined && status === 0;
}

function install({ debian_package, purpose }) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error(`Installing ${debian_package} with apt-get, for ${purpose}.`);
  const packages = ['install', '--yes', '--no-install-recommends', debian_package];
  // The machine's package lists may be missing or old; one dead source must not stop the rest.
  if (apt(...packages)) return;
  apt('update');
  apt(...packages);
}

/** Prints the path of a tool. `variable` names one in the environment, which must be right. */
export function printPathOf(tool) {
  const named = process.env[tool.variable];
  if (named && !works(named, tool)) {
    fail(`${tool.variable} names ${named}, which does not run as it should.`);
  }
  let found = named || find(tool);
  if (!found) {
    install(tool);
    found = find(tool);
  }
  if (!found) fail(tool.advice);
  console.log(found);
}
