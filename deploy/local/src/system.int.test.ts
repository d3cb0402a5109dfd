import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, sendSignal } from '@credit/servers';
import { readJson } from './data-directory';
import { isAlive } from './process-identity';
import type { ServiceDefinition } from './services';
import { RUN_FILE, type RunRecord } from './supervisor';

// The real supervisor, PostgreSQL and nats-server, around two stub services.
const REGISTER = join(__dirname, '../../../packages/testing/register-typescript.cjs');

const SERVICES: ServiceDefinition[] = [
  { name: 'ledger', main: 'ledger.js', kind: 'rpc', peers: [], database: 'two', secrets: [] },
  {
    name: 'gateway',
    main: 'gateway.js',
    kind: 'gateway',
    peers: ['ledger'],
    database: 'none',
    secrets: [],
  },
];

const LEDGER = `
  const { Server, ServerCredentials } = require(${JSON.stringify(require.resolve('@grpc/grpc-js'))});
  const fs = require('node:fs');
  if (process.argv[2] === 'migrate') {
    fs.appendFileSync('migrated', process.env.DATABASE_URL_LIVE + '\\n');
    process.exit(Number(process.env.STUB_MIGRATE_CODE ?? 0));
  }
  if (process.env.STUB_DIES) { console.error('no such flag'); process.exit(3); }
  const asIs = (bytes) => bytes;
  const server = new Server();
  server.addService(
    { check: { path: '/grpc.health.v1.Health/Check', requestStream: false, responseStream: false,
      requestSerialize: asIs, requestDeserialize: asIs,
      responseSerialize: asIs, responseDeserialize: asIs } },
    { check: (call, answer) => answer(null, Buffer.from([8, 1])) });
  server.bindAsync(process.env.RPC_ADDRESS, ServerCredentials.createInsecure(), (error) => {
    if (error) throw error;
    console.log(JSON.stringify({ level: 'info', time: new Date().toISOString(), msg: 'serving' }));
  });
  process.on('SIGTERM', () => { console.log('ledger stops'); process.exit(0); });
  process.on('disconnect', () => process.exit(0));
`;

const GATEWAY = `
  const http = require('node:http');
  const server = http.createServer((request, response) =>
    response.end(request.url === '/readyz' ? 'ok' : process.env.LEDGER_ADDRESS));
  setTimeout(() => server.listen(Number(process.env.PORT), process.env.BIND_ADDRESS),
    Number(process.env.STUB_SLOW_MS ?? 0));
  process.on('SIGTERM', () => { console.log('gateway stops'); process.exit(0); });
  process.on('disconnect', () => process.exit(0));
`;

jest.setTimeout(60_000);

describe('the local system', () => {
  let root: string;
  let data_directory: string;
  let port: number;
  let supervisors: Supervisor[] = [];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'local-'));
    data_directory = join(root, 'data');
    port = await freePort();
    writeFileSync(join(root, 'ledger.js'), LEDGER);
    writeFileSync(join(root, 'gateway.js'), GATEWAY);
  });

  afterEach(async () => {
    for (const supervisor of supervisors) await supervisor.end();
    supervisors = [];
    rmSync(root, { recursive: true, force: true });
  });

  function start(env: Record<string, string> = {}): Supervisor {
    const supervisor = new Supervisor(root, { DATA_DIR: data_directory, PORT: `${port}`, ...env });
    supervisors.push(supervisor);
    return supervisor;
  }

  const record = () => readJson<RunRecord>(join(data_directory, RUN_FILE));
  const pidOf = (name: string) => record()?.processes.find((one) => one.name === name)?.pid ?? 0;

  it('says what it waits for when starting takes long, and nothing alarming', async () => {
    const supervisor = start({ STUB_SLOW_MS: '11000' });
    await supervisor.ready();
    expect(supervisor.output).toMatch(/After 1\d\.\d s still waiting for gateway\./);
    expect(supervisor.output).not.toMatch(/WARN|ERROR/);
  });

  it('starts all, starts again what dies, and on Ctrl-C leaves nothing behind', async () => {
    const supervisor = start();
    await supervisor.ready();
    const base_url = `http://127.0.0.1:${port}`;
    expect(await (await fetch(base_url)).text()).toBe(record()?.rpc_addresses.ledger);
    expect(supervisor.output).toContain(`API         ${base_url}/api/v1`);
    expect(readFileSync(join(root, 'migrated'), 'utf8')).toContain('postgres://ledger_live:');

    for (const name of ['ledger', 'gateway', 'postgres', 'nats']) {
      const before = pidOf(name);
      process.kill(before, 'SIGKILL');
      // What was written may be read after what was done is seen.
      await until(() => supervisor.output.includes(`${name} was ended by SIGKILL`));
      await until(() => pidOf(name) !== 0 && pidOf(name) !== before);
    }
    await until(() =>
      fetch(base_url).then(
        () => true,
        () => false,
      ),
    );

    const processes = record()?.processes ?? [];
    expect(processes.map((one) => one.name).sort()).toEqual([
      'gateway',
      'ledger',
      'nats',
      'postgres',
    ]);
    expect(processes.filter(isAlive)).toHaveLength(4);
    supervisor.process.kill('SIGINT');
    expect(await supervisor.exit).toBe(0);
    expect(processes.filter(isAlive)).toEqual([]);
    expect(supervisor.output.indexOf('gateway stops')).toBeLessThan(
      supervisor.output.indexOf('ledger stops'),
    );
    expect(record()).toBeUndefined();
  });

  it('shows the first password once, and keeps it and all secrets over a second start', async () => {
    const first = start();
    await first.ready();
    const files = ['superadmin.json', 'secrets.json', 'authority/ca.pem', 'authority/ca.key'];
    const kept = files.map((file) => readFileSync(join(data_directory, file), 'utf8'));
    for (const file of files.filter((name) => name !== 'authority/ca.pem')) {
      expect(statSync(join(data_directory, file)).mode & 0o777).toBe(0o600);
    }
    const { password } = JSON.parse(kept[0] ?? '') as { password: string };
    expect(first.output).toContain(password);
    first.process.kill('SIGTERM');
    expect(await first.exit).toBe(0);

    const second = start();
    await second.ready();
    expect(second.output).not.toContain(password);
    expect(second.output).toContain('password in');
    expect(files.map((file) => readFileSync(join(data_directory, file), 'utf8'))).toEqual(kept);
    const [url, same_url] = readFileSync(join(root, 'migrated'), 'utf8').split('\n');
    expect(new URL(same_url ?? '').password).toBe(new URL(url ?? '').password);
  });

  it('starts at once after it was killed outright', async () => {
    const first = start();
    await first.ready();
    const processes = record()?.processes ?? [];
    first.process.kill('SIGKILL');
    await first.exit;

    const second = start();
    await second.ready();
    expect(processes.filter(isAlive)).toEqual([]);
    expect(second.output).not.toContain('taken');
  });

  it('says in one sentence that it is running already, or that the port is taken', async () => {
    const first = start();
    await first.ready();
    const twin = start();
    expect(await twin.exit).toBe(1);
    expect(twin.errors).toBe(
      `The system is already running on ${data_directory} (process ${first.process.pid}); stop it first, or choose another folder with DATA_DIR.\n`,
    );
    const neighbour = start({ DATA_DIR: join(root, 'other') });
    expect(await neighbour.exit).toBe(1);
    expect(neighbour.errors).toBe(
      `Port ${port} is taken by another program; stop it, or choose another port with PORT.\n`,
    );
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200);
  });

  it('says in one sentence that the folder cannot be written to', async () => {
    writeFileSync(join(root, 'file'), '');
    const blocked = start({ DATA_DIR: join(root, 'file', 'data') });
    expect(await blocked.exit).toBe(1);
    expect(blocked.errors).toMatch(
      /^The data folder .*file\/data cannot be written to \(ENOTDIR\); .*\n$/,
    );
  });

  it('gives up, and stops all, when a service dies before it was ever ready', async () => {
    const supervisor = start({ STUB_DIES: '1' });
    expect(await supervisor.exit).toBe(1);
    expect(supervisor.output).toContain('no such flag');
    expect(supervisor.errors).toBe(
      'ledger keeps dying before it is ready (it ended with code 3); its last lines above tell why.\n',
    );
    expect(existsSync(join(data_directory, RUN_FILE))).toBe(false);
    expect(existsSync(join(data_directory, 'postgres/cluster/postmaster.pid'))).toBe(false);
  });

  it('gives up when a schema cannot be brought up to date', async () => {
    const supervisor = start({ STUB_MIGRATE_CODE: '1' });
    expect(await supervisor.exit).toBe(1);
    expect(supervisor.errors).toBe(
      'The migrations of ledger failed; its last lines above tell why.\n',
    );
  });

  it('uses the servers one has', async () => {
    const owner = start();
    await owner.ready();
    const { admin_url = '', nats_url = '' } = record() ?? {};
    const guest_data = join(root, 'guest');
    const guest = start({
      DATA_DIR: guest_data,
      PORT: `${await freePort()}`,
      DATABASE_URL: admin_url,
      NATS_URL: nats_url,
    });
    await guest.ready();
    const guests = readJson<RunRecord>(join(guest_data, RUN_FILE));
    expect(guests?.processes.map((one) => one.name).sort()).toEqual(['gateway', 'ledger']);
    expect(guests?.nats_url).toBe(nats_url);
    guest.process.kill('SIGTERM');
    expect(await guest.exit).toBe(0);
    expect(sendSignal(pidOf('postgres'), 0)).toBe(true);

    const lost = start({ DATA_DIR: join(root, 'lost'), PORT: '0', NATS_URL: 'nats://127.0.0.1:1' });
    expect(await lost.exit).toBe(1);
    expect(lost.errors).toBe('Nothing answers at NATS_URL (127.0.0.1:1).\n');
  });
});

/** `npm start` of the project in `root`, in a process of its own. */
class Supervisor {
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  output = '';
  errors = '';

  constructor(root: string, env: Record<string, string>) {
    const script = `
      const { runSystem } = require(${JSON.stringify(join(__dirname, 'run-system.ts'))});
      void runSystem({ root: process.cwd(), services: ${JSON.stringify(SERVICES)} });`;
    this.process = spawn(process.execPath, ['-r', REGISTER, '-e', script], {
      cwd: root,
      // The provider of identities is no part of what is tried here.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        IDENTITY_PROVIDER: 'none',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.exit = new Promise((resolve) => this.process.once('close', resolve));
  }

  async ready(): Promise<void> {
    const died = this.exit.then((code) => {
      throw new Error(`The supervisor ended with code ${code}: ${this.errors}${this.output}`);
    });
    died.catch(() => undefined);
    await Promise.race([until(() => this.output.includes('Ready after')), died]);
  }

  async end(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGTERM');
    }
    await this.exit;
  }
}

const PATIENCE_MS = 30_000;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end_ms = Date.now() + PATIENCE_MS; Date.now() < end_ms; await delay(50)) {
    if (await isSo()) return;
  }
  throw new Error('It did not happen in time.');
}
