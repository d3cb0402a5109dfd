import { join, relative } from 'node:path';
import { OperatorError } from './operator-error';
import { createOutput, type Output } from './output';
import { SERVICES, type ServiceDefinition } from './services';
import { readSettings, type Settings } from './settings';
import { type ReadySystem, reason, System, stopwatch } from './supervisor';
import { watchServices } from './watcher';

export interface RunOptions {
  /** The project's root. */
  root: string;
  services?: readonly ServiceDefinition[];
  /** Compile what changes, and start again the services it belongs to. */
  watch?: boolean;
}

/** How the line begins that says that all serves, replicas too. */
export const READY_WORDS = 'Ready after';
const IMPATIENT_AFTER_MS = 1_000;

/** Runs the system until it is told to stop; the whole of `npm start` once all is built. */
export async function runSystem(options: RunOptions): Promise<void> {
  const { root, services = SERVICES, watch = false } = options;
  const timer = stopwatch();
  const settings = settingsOrExit(root);
  const output = createOutput({
    write: (text) => process.stdout.write(text),
    format: settings.log_format,
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
    verbose: settings.verbose,
  });
  // Whoever read our lines may be gone; the system is stopped by signals, not by that.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);

  const system = new System({ root, services, settings, output, env: process.env });
  let stopping = false;
  const stop = async (cause: string) => {
    if (stopping) return;
    stopping = true;
    output.say('info', `${cause}: stopping.`);
    await system.stop();
    output.say('info', 'Stopped.');
    process.exit(0);
  };
  let asked_at_ms: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked_at_ms === undefined) {
      asked_at_ms = performance.now();
      void stop(signal);
      return;
    }
    // One Ctrl-C may arrive twice, from the terminal and through npm; a person's second one
    // comes later.
    if (performance.now() - asked_at_ms < IMPATIENT_AFTER_MS) return;
    output.say('warn', `${signal} again: killing.`);
    system.kill();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // Started by `npm start`: do not outlive it.
  if (process.connected) process.on('disconnect', () => void stop('npm is gone'));

  try {
    const ready = await system.start();
    if (stopping) return;
    output.plain(banner(ready, settings, timer()));
  } catch (error) {
    if (stopping) return;
    stopping = true;
    process.stderr.write(`${reason(error)}\n`);
    if (settings.verbose && !(error instanceof OperatorError)) console.error(error);
    await system.stop();
    process.exit(1);
  }
  if (watch) await watchCode(root, services, system, output);
}

async function watchCode(
  root: string,
  services: readonly ServiceDefinition[],
  system: System,
  output: Output,
): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  watchServices(root, services, (names) => {
    output.say('info', `Changed: ${names.join(', ')}; starting again.`);
    void Promise.all(names.map((name) => system.restart(name)));
  });
  await system.startBeside('tsc', process.execPath, [
    compiler,
    '--build',
    '--watch',
    '--preserveWatchOutput',
  ]);
}

function settingsOrExit(root: string): Settings {
  try {
    return readSettings(process.env, root);
  } catch (error) {
    process.stderr.write(`${reason(error)}\n`);
    process.exit(1);
  }
}

/** The last thing `npm start` prints before the system's own lines go on. */
function banner(ready: ReadySystem, settings: Settings, elapsed: string): string {
  const here = (path: string) => {
    const from_here = relative(process.cwd(), path);
    return from_here.startsWith('..') ? path : from_here;
  };
  const { superadmin_email: email, superadmin_file: file, superadmin_password: password } = ready;
  const lines = [
    ['API', `${ready.base_url}/api/v1`],
    ['Console', `${ready.base_url}/console`],
    ['Docs', `${ready.base_url}/docs`],
    ['Superadmin', `${email}, password in ${file ? here(file) : 'BOOTSTRAP_PASSWORD'}`],
    ...(password ? [['', `shown this once: ${password}`]] : []),
    ['Data', here(settings.data_directory)],
  ];
  const table = lines.map(([name = '', value]) => `  ${name.padEnd(12)}${value}\n`).join('');
  return `\n${READY_WORDS} ${elapsed}. Ctrl-C stops it.\n\n${table}\n`;
}
