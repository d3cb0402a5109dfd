// What tests need of Debian's packages: fetched where that can be done, as root on Debian or a
// relative of it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT_TIMEOUT_MS = 300_000;

function apt(...args) {
  // What a script finds goes to standard output, and nothing else.
  const { status, error } = spawnSync('apt-get', ['-q', ...args], {
    stdio: ['ignore', 2, 2],
    timeout: APT_TIMEOUT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return error === undefined && status === 0;
}

/** Installs packages; `purpose` says for what, to whoever watches. */
export function installPackages(names, purpose) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.error(`Installing ${names.join(' and ')} with apt-get, for ${purpose}.`);
  const install = ['install', '--yes', '--no-install-recommends', ...names];
  // The machine's package lists may be missing or old; one dead source must not stop the rest.
  if (apt(...install)) return;
  apt('update');
  apt(...install);
}
