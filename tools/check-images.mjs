// `npm run check-images [-- SERVICE…]`: really builds images, without any image registry: the base is
// a stand-in, a minimal Debian from debootstrap with this machine's own Node. Then it starts a
// process in each image. Needs Linux, root, buildah and debootstrap (apt-get install both), some
// 12 GB of disk and ten minutes, so it runs when asked for and is no part of `npm test`.
// CHECK_IMAGES_BASE names a folder that debootstrap filled before; CHECK_IMAGES_DIRECTORY one to
// work in instead of the system's temporary one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fail, node, root } from './lib.mjs';
import { readTable } from './services.cjs';

const DEBIAN = 'trixie bookworm'.split(' ');
const START_TIMEOUT_MS = 30_000;
const SERVICES = ['gateway', ...readTable().map(({ name }) => name)];
const STAND_IN = 'localhost/stand-in:base';

const wanted = process.argv.slice(2);
for (const name of wanted) if (!SERVICES.includes(name)) fail(`There is no service ${name}.`);
for (const tool of ['buildah', ...(process.env.CHECK_IMAGES_BASE ? [] : ['debootstrap'])]) {
  if (spawnSync(tool, ['--version']).error) {
    fail(`The images were not built: there is no ${tool} here (Debian: apt-get install ${tool}).`);
  }
}

const directory = mkdtempSync(path.join(process.env.CHECK_IMAGES_DIRECTORY ?? tmpdir(), 'images-'));
// Images that nobody else sees, and no mounts: chroot and plain copies work in a container too.
const env = {
  ...process.env,
  BUILDAH_ISOLATION: 'chroot',
  STORAGE_DRIVER: 'vfs',
  TMPDIR: directory,
};
const storage = ['--root', path.join(directory, 'root'), '--runroot', path.join(directory, 'run')];

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { env, encoding: 'utf8', ...options });
  if (result.status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} failed:\n${result.stdout ?? ''}${result.stderr ?? ''}`,
    );
  }
  return (result.stdout ?? '').trim();
}
const buildah = (...args) => run('buildah', [...storage, ...args]);

function makeStandIn() {
  const base = process.env.CHECK_IMAGES_BASE ?? path.join(directory, 'debian');
  if (!process.env.CHECK_IMAGES_BASE) {
    const suite = DEBIAN.find((name) => existsSync(`/usr/share/debootstrap/scripts/${name}`));
    run('debootstrap', ['--variant=minbase', suite, base]);
  }
  const additions = path.join(directory, 'additions');
  // Where each of the two real bases has it.
  for (const place of ['nodejs/bin', 'usr/local/bin', 'usr/local/lib', 'etc/ssl/certs']) {
    mkdirSync(path.join(additions, place), { recursive: true });
  }
  copyFileSync(node(), path.join(additions, 'nodejs/bin/node'));
  const npm = path.dirname(run('readlink', ['-f', run('sh', ['-c', 'command -v npm'])]));
  cpSync(path.dirname(npm), path.join(additions, 'usr/local/lib/npm'), {
    recursive: true,
    dereference: true,
  });
  const authorities = '/etc/ssl/certs/ca-certificates.crt';
  if (existsSync(authorities)) copyFileSync(authorities, path.join(additions, authorities));

  const container = buildah('from', 'scratch');
  buildah('copy', '--quiet', container, base, '/');
  buildah('copy', '--quiet', container, additions, '/');
  const link =
    'ln -s /nodejs/bin/node /usr/local/bin/node && for tool in npm npx; do printf \'#!/bin/sh\\nexec node /usr/local/lib/npm/bin/%s-cli.js "$@"\\n\' $tool > /usr/local/bin/$tool; chmod +x /usr/local/bin/$tool; done';
  buildah('run', container, '--', 'sh', '-c', link);
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${authorities}`, container);
  buildah('commit', '--quiet', '--rm', container, STAND_IN);
}

function buildImage(service) {
  const npmrc = path.join(homedir(), '.npmrc');
  buildah(
    'build-using-dockerfile',
    '--quiet',
    '--layers=true',
    ...['BUILD_IMAGE', 'RUNTIME_IMAGE'].flatMap((name) => ['--build-arg', `${name}=${STAND_IN}`]),
    ...['--build-arg', `SERVICE=${service}`],
    ...(existsSync(npmrc) ? ['--secret', `id=npmrc,src=${npmrc}`] : []),
    ...[
      '--tag',
      `localhost/${service}:check`,
      '--file',
      path.join(root, 'deploy/Dockerfile'),
      root,
    ],
  );
}

/** The image says who runs it and what; and without configuration it says what is missing. */
function checkRefusal(service, container) {
  const { config } = JSON.parse(
    buildah('inspect', '--type', 'image', `localhost/${service}:check`),
  ).OCIv1;
  if (config.User !== '65532:65532') throw new Error(`${service} would run as ${config.User}.`);
  const result = spawnSync('buildah', [...storage, 'run', container, '--', ...config.Entrypoint], {
    env,
    encoding: 'utf8',
  });
  if (result.status === 0 || !result.stdout.includes('The configuration is wrong: ')) {
    throw new Error(`${service} did not refuse to start:\n${result.stdout}${result.stderr}`);
  }
  const whoami = buildah('run', container, '--', '/nodejs/bin/node', '-p', 'process.getuid()');
  if (whoami !== '65532') throw new Error(`${service} runs as user ${whoami}.`);
  buildah(
    'run',
    container,
    '--',
    '/nodejs/bin/node',
    '-e',
    "JSON.parse(require('node:fs').readFileSync('/app/sbom.json')).components.length > 50 || process.exit(1)",
  );
  return config.Entrypoint;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The gateway needs nobody to live: it must answer its liveness probe, and end on SIGTERM. */
async function checkGateway(container, entrypoint) {
  const port = await freePort();
  const settings = {
    PORT: port,
    ...Object.fromEntries(
      SERVICES.slice(1).map((name) => [`${name.toUpperCase()}_ADDRESS`, '127.0.0.1:9']),
    ),
    SCORING_HTTP_ADDRESS: '127.0.0.1:9',
  };
  const child = spawn(
    'buildah',
    [
      ...storage,
      'run',
      ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      container,
      '--',
      ...entrypoint,
    ],
    { env, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const gone = once(child, 'exit');
  try {
    const give_up_ms = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      if (answer?.status === 200) break;
      if (Date.now() > give_up_ms) throw new Error(`The gateway gave no answer:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const page = await fetch(`http://127.0.0.1:${port}/docs`);
    if (page.status !== 200) throw new Error(`The gateway has no docs: ${page.status}`);
  } finally {
    child.kill('SIGTERM');
    await gone;
  }
}

const started_ms = Date.now();
const seconds = () => `${((Date.now() - started_ms) / 1_000).toFixed(0)} s`;
try {
  makeStandIn();
  console.log(`ok  stand-in base (${seconds()})`);
  for (const service of wanted.length > 0 ? wanted : SERVICES) {
    buildImage(service);
    const container = buildah('from', `localhost/${service}:check`);
    const entrypoint = checkRefusal(service, container);
    if (service === 'gateway') await checkGateway(container, entrypoint);
    buildah('rm', container);
    console.log(`ok  ${service}: built, and its process starts (${seconds()})`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
