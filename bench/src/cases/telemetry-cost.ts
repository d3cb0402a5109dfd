import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePortRow } from '@credit/servers';
import type { Contest } from '../interleave';
import { secondsOf } from '../processor-time';
import { createWorld, servicePids, type World } from '../world';
import {
  type BenchCase,
  CONNECTIONS,
  look,
  nth,
  payment,
  sharedWorld,
  throughGateway,
} from './case';

const ACCOUNTS = 200;
const SERVICES = 6;
const SCRAPE_EVERY_MS = 5_000;

/**
 * The same requests with metrics and traces, of which one in twenty is kept, and without. Rates
 * are requests a second of the services' own processor time: with processors that are busy that
 * is throughput, and neither the load generator nor whatever else runs is in it.
 */
export const telemetryCost: BenchCase = {
  name: 'telemetry-cost',
  title: `Events and profiles by turns with telemetry, 5 % of traces kept, ${CONNECTIONS} connections`,
  target: 0.95,
  bound_s: 52,
  shares_world: true,
  async open() {
    const collector = await startCollector();
    const metrics_port = await freePortRow(SERVICES);
    const stops: (() => Promise<void>)[] = [async () => stopCollector(collector)];
    const stop = async () => {
      for (const one of stops.reverse()) await one();
    };
    try {
      const { port } = collector.address() as AddressInfo;
      const watched = await createWorld(ACCOUNTS, {
        METRICS_PORT: `${metrics_port}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_TRACES_SAMPLER_ARG: '0.05',
      });
      stops.push(() => watched.stop());
      const unwatched = await sharedWorld();
      const scrapes = setInterval(() => void scrape(metrics_port), SCRAPE_EVERY_MS);
      stops.push(async () => clearInterval(scrapes));
      return {
        contest: {
          unit: 'requests',
          limit_name:
            'the same system without telemetry, both by the processor time of the services',
          system: requests(watched),
          limit: requests(unwatched),
        },
        output: () => watched.system.output(),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

function requests(world: World): Contest['system'] {
  const send = throughGateway(world, (number) => {
    const { id, subject_id } = nth(world.accounts, number);
    return number % 2 === 0 ? look(subject_id) : payment(id, number);
  });
  return async (slice_s) => {
    const before_s = processorTime(world);
    const slice = await send(slice_s);
    return { ...slice, elapsed_s: processorTime(world) - before_s };
  };
}

/** What the services have used until now, in seconds. */
function processorTime({ system }: World): number {
  return servicePids(system).reduce((sum, pid) => sum + secondsOf(pid), 0);
}

/** Takes spans and forgets them. */
async function startCollector(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function stopCollector(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** As Prometheus does; what does not answer is its loss. */
async function scrape(first_port: number): Promise<void> {
  await Promise.allSettled(
    Array.from({ length: SERVICES }, async (_, index) => {
      const response = await fetch(`http://127.0.0.1:${first_port + index}/metrics`);
      await response.text();
    }),
  );
}
