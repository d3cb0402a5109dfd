// A program of another project that tests need: found, or installed where that can be done (as root on
// Debian or a relative of it), or asked for in one sentence.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { installPackages } from './debian.mjs';
import { fail } from './lib.mjs';

const VERSION_TIMEOUT_MS = 20_000;

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

/** Prints the path of a tool. `variable` names one in the environment, which must be right. */
export function printPathOf(tool) {
  const named = process.env[tool.variable];
  if (named && !works(named, tool)) {
    fail(`${tool.variable} names ${named}, which does not run as it should.`);
  }
  let found = named || find(tool);
  if (!found) {
    installPackages([tool.debian_package], tool.purpose);
    found = find(tool);
  }
  if (!found) fail(tool.advice);
  console.log(found);
}
