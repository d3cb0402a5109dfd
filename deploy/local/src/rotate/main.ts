// `npm run rotate -- WHAT` changes a secret of the system that runs on DATA_DIR, and
// `npm run rotate -- WHAT --cluster OVERLAY --store COMMAND` one of a cluster, while it serves.
// docs/SECRETS.md says what is changed how.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { OperatorError } from '../operator-error';
import { readSettings } from '../settings';
import { reason } from '../supervisor';
import { ClusterPlace, type Execute } from './cluster-place';
import { LocalPlace } from './local-place';
import { isRotation, type Place, ROTATION_NAMES, ROTATIONS } from './rotations';

const ROOT = resolve(__dirname, '../../../..');
/** As services read their certificates anew unless told otherwise. */
const RELOAD_MS = 30_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      cluster: { type: 'string' },
      namespace: { type: 'string', default: 'credit' },
      store: { type: 'string' },
    },
  });
  const [what = ''] = positionals;
  if (!isRotation(what) || positionals.length !== 1) {
    throw new OperatorError(`Say one thing that is to be changed: ${ROTATION_NAMES.join(', ')}.`);
  }
  const place = values.cluster === undefined ? local() : cluster(values.cluster, values);
  await ROTATIONS[what](place);
  say(`${what} is changed.`);
}

function local(): Place {
  const { data_directory } = readSettings(process.env, ROOT);
  return new LocalPlace({
    data_directory,
    reload_ms: Number(process.env.TLS_RELOAD_MS || RELOAD_MS),
    say,
    async run(service, args) {
      const command = join(ROOT, 'deploy/local/dist/run-command.js');
      const { code, output } = await execute([process.execPath, command, service, ...args]);
      say(output.trimEnd());
      return code;
    },
  });
}

function cluster(
  overlay: string,
  { namespace, store }: { readonly namespace: string; readonly store?: string | undefined },
): Place {
  if (!store) {
    throw new OperatorError(
      'Say with --store what writes to the secret store: COMMAND KEY, with {"property": "value"} on its input.',
    );
  }
  const [command = 'kubectl', ...given] = (process.env.KUBECTL || 'kubectl').split(/\s+/);
  return new ClusterPlace({
    root: ROOT,
    overlay,
    namespace,
    kubectl: [command, ...given],
    store,
    execute,
    say,
  });
}

const execute: Execute = async ([command, ...args], input = '') => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {}); // It may not want any.
  child.stdin.end(input);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: typeof code === 'number' ? code : 1, output };
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${reason(error)}\n`);
    process.exit(1);
  },
);
