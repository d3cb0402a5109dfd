import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE_ID}-b7ad6b7169203331`;

const bodies: string[] = [];
const answering = createHttpServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    bodies.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
const taken: Socket[] = [];
const silent = createServer((socket) => taken.push(socket));

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const REGISTER = path.resolve(__dirname, '../../../../testing/register-typescript.cjs');

// A process of its own: the exporter loads Node's modules in a way that jest has not.
const SCRIPT = `
  const seam = require(${JSON.stringify(path.resolve(__dirname, '..'))});
  const { beginTelemetry } = require(${JSON.stringify(__dirname)});
  const begin = (traceparent) => seam.startSpan({ kind: 1, name: 'tested', traceparent });
  const before = begin('');
  const telemetry = beginTelemetry('tested', 'inside', process.env, []);
  seam.endSpan(begin('${PARENT}-01'));
  // More than the queue holds.
  const flood = () => {
    const started_ms = performance.now();
    for (let made = 0; made < 4000; made += 1) seam.endSpan(begin(''));
    return performance.now() - started_ms;
  };
  flood();
  // Longer than the batches are apart: one is under way.
  setTimeout(async () => {
    const flood_ms = flood();
    const stopping_ms = performance.now();
    await telemetry.stop();
    const stop_ms = performance.now() - stopping_ms;
    console.log(JSON.stringify({ before: before === undefined, flood_ms, stop_ms }));
    process.exit(0);
  }, 300);
`;

interface Traced {
  readonly before: boolean;
  readonly flood_ms: number;
  readonly stop_ms: number;
}

/** Makes more spans than the queue holds, and stops, with a collector on the port or none. */
async function traced(port: number | undefined): Promise<Traced> {
  const child = spawn(process.execPath, ['-r', REGISTER, '-e', SCRIPT], {
    env: {
      ...process.env,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_TRACES_SAMPLER_ARG: '1',
      ...(port !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return JSON.parse(output) as Traced;
}

const SLOWER_MS = 800;

describe('a collector', () => {
  let living: Traced;
  let without: Traced;

  beforeAll(async () => {
    living = await traced(await listen(answering));
    without = await traced(undefined);
  }, 60_000);

  afterAll(() => {
    answering.close();
    for (const socket of taken) socket.destroy();
    silent.close();
  });

  it('gets the spans of a seam that was used before there was telemetry', () => {
    expect(living.before).toBe(true);
    expect(bodies.join()).toContain(TRACE_ID);
  });

  it.each([
    ['takes connections and never answers', () => listen(silent)],
    [
      'refuses connections',
      async () => {
        const server = createServer();
        const port = await listen(server);
        await new Promise((resolve) => server.close(resolve));
        return port;
      },
    ],
  ])(
    'that %s holds up neither spans nor the end',
    async (_what, open) => {
      const dead = await traced(await open());
      // What does not fit the queue is dropped, not waited for.
      expect(dead.flood_ms).toBeLessThan(3 * living.flood_ms + 1_000);
      expect(dead.stop_ms - without.stop_ms).toBeLessThan(SLOWER_MS);
    },
    30_000,
  );
});
