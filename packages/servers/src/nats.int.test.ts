import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionOptions } from '@credit/platform/bus';
import { connect } from 'nats';
import { freePort, sendSignal } from './launch';
import { type NatsServer, type NatsServerOptions, startNatsServer } from './nats';

const REGISTER = join(__dirname, '../../testing/register-typescript.cjs');

describe('a local nats-server', () => {
  let data_directory: string;
  let running: NatsServer[] = [];

  beforeEach(async () => {
    data_directory = join(await mkdtemp(join(tmpdir(), 'nats-')), 'data');
  });

  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    running = [];
    await rm(join(data_directory, '..'), { recursive: true, force: true });
  });

  async function start(options: Partial<NatsServerOptions> = {}) {
    const server = await startNatsServer({ data_directory, ...options });
    running.push(server);
    return server;
  }

  it('keeps its streams over a stop and a start', async () => {
    const first = await start();
    await store(first, 'kept');
    await first.stop();
    expect(await first.exited).toMatchObject({ signal: null });

    const second = await start();
    expect(await stored(second)).toBe(1);
  });

  it('keeps them over kill -9 too', async () => {
    const first = await start();
    await store(first, 'kept');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;

    const second = await start();
    expect(await stored(second)).toBe(1);
  });

  it('refuses data on which a server still runs, unless told to take it over', async () => {
    const first = await start();
    await store(first, 'kept');
    await expect(start()).rejects.toThrow(
      `A nats-server (process ${first.pid}) is still running on`,
    );

    const second = await start({ take_over: true });
    await first.exited;
    expect(await stored(second)).toBe(1);
  });

  it('lets nobody in without a password, which only its owner can read', async () => {
    const server = await start();
    const anonymous = { servers: `127.0.0.1:${server.port}`, reconnect: false };
    await expect(connect(anonymous)).rejects.toThrow('Authorization Violation');
    await expect(connect({ ...anonymous, user: 'reporting', pass: 'guessed' })).rejects.toThrow(
      'Authorization Violation',
    );
    for (const name of ['administrator.password', 'nats-server.conf']) {
      expect((await stat(join(data_directory, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('says so when the wanted port is taken', async () => {
    const port = await freePort();
    const other = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    await expect(start({ port })).rejects.toThrow(/^nats-server did not start on .*\[FTL\]/);
    await new Promise((resolve) => other.close(resolve));
  });

  it('tells its log to the given logger, by level', async () => {
    const lines: string[] = [];
    const logger = {
      info: (line: string) => lines.push(`info ${line}`),
      warn: (line: string) => lines.push(`warn ${line}`),
      error: (line: string) => lines.push(`error ${line}`),
    };
    const server = await start({ logger });
    await server.stop();
    expect(lines).toContain('info Server is ready');
  });

  it('is one of three that keep what was stored when one of them is lost', async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const members = await Promise.all(
      ports.map((port, number) => {
        const folder = join(data_directory, `node-${number}`);
        const peer_ports = ports.filter((other) => other !== port);
        return freePort(new Set(ports)).then((monitor_port) =>
          start({
            data_directory: folder,
            password: 'shared',
            cluster: { name: `node-${number}`, port, peer_ports, monitor_port },
          }),
        );
      }),
    );
    const [first, second, third] = members as [NatsServer, NatsServer, NatsServer];
    await store(first, 'once', 3);
    sendSignal(first.pid, 'SIGKILL');
    await first.exited;
    expect(await stored(second)).toBe(1);
    expect(await stored(third)).toBe(1);
  }, 60_000);

  it('goes down with the process that started it, even when that is killed outright', async () => {
    if (process.platform !== 'linux') return;
    const script = `
      const { startNatsServer } = require(${JSON.stringify(join(__dirname, 'nats.ts'))});
      startNatsServer(${JSON.stringify({ data_directory })}).then((server) => {
        console.log(server.pid);
        setInterval(() => undefined, 1000);
      });`;
    const owner = spawn(process.execPath, ['-r', REGISTER, '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => {
      owner.stdout.once('data', (chunk) => resolve(Number(chunk)));
    });
    expect(sendSignal(pid, 0)).toBe(true);

    owner.kill('SIGKILL');
    for (let tries = 0; sendSignal(pid, 0) && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(sendSignal(pid, 0)).toBe(false);
    await start();
  });
});

/** Servers of a cluster need a moment until one of them leads. */
const PATIENCE = { tries: 100, pause_ms: 100 };

async function patiently<T>(run: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await run();
    } catch (error) {
      if (tried >= PATIENCE.tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, PATIENCE.pause_ms));
    }
  }
}

async function store(server: NatsServer, text: string, num_replicas = 1): Promise<void> {
  const connection = await connect(connectionOptions({ url: server.url, name: 'test' }));
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const made = { name: 'KEPT', subjects: ['kept'], num_replicas };
  await patiently(() => manager.streams.add(made));
  await patiently(() => connection.jetstream().publish('kept', text, { msgID: text }));
  await connection.close();
}

async function stored(server: NatsServer): Promise<number> {
  const connection = await connect(connectionOptions({ url: server.url, name: 'test' }));
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const info = await patiently(() => manager.streams.info('KEPT'));
  await connection.close();
  return info.state.messages;
}
