import { type AddressInfo, createServer, type Server } from 'node:net';
import { metrics, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { isSampled, traceparentOf, unsampled } from '..';
import { samplerFor } from './sampling';
import { readTelemetrySettings } from './settings';
import { beginTelemetry } from './telemetry';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE_ID}-b7ad6b7169203331`;

const servers: Server[] = [];

afterEach(async () => {
  trace.disable();
  metrics.disable();
  propagation.disable();
  await Promise.all(
    servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  );
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const begin = (environment: NodeJS.ProcessEnv) =>
  beginTelemetry('tested', 'inside', environment, ['node', 'main.js']);

describe('what the environment says', () => {
  it('has defaults', () => {
    expect(readTelemetrySettings({})).toEqual({
      traced: false,
      ratio: 0.05,
      metrics_port: undefined,
      metrics_host: '127.0.0.1',
    });
  });

  it.each([
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'often'],
    ['METRICS_PORT', '70000'],
    ['METRICS_PORT', 'x'],
  ])('is refused by name: %s=%s', async (name, value) => {
    expect(readTelemetrySettings({ [name]: value })).toMatchObject({
      message: expect.stringContaining(name),
    });
    const telemetry = begin({ [name]: value });
    await expect(telemetry.ready).rejects.toThrow(name);
  });

  it('is told when the port of the metrics is taken', async () => {
    const port = await listening(createServer());
    const telemetry = begin({ METRICS_PORT: `${port}` });
    await expect(telemetry.ready).rejects.toThrow(`METRICS_PORT ${port} on 127.0.0.1`);
    await telemetry.stop();
  });
});

describe('which traces are kept', () => {
  const decide = (position: 'edge' | 'inside', flags: '00' | '01', chance: number) => {
    const sampler = samplerFor(position, 0.05, () => chance);
    const tracer = new NodeTracerProvider({ sampler }).getTracer('tested');
    const remote = { traceId: TRACE_ID, spanId: 'b7ad6b7169203331', isRemote: position === 'edge' };
    const parent = trace.setSpanContext(ROOT_CONTEXT, {
      ...remote,
      traceFlags: flags === '01' ? 1 : 0,
    });
    return isSampled(traceparentOf(tracer.startSpan('operation', {}, parent)));
  };

  it('is for the gateway to say, whatever a caller flags', () => {
    expect(decide('edge', '01', 0.9)).toBe(false);
    expect(decide('edge', '00', 0.9)).toBe(false);
    expect(decide('edge', '01', 0.01)).toBe(true);
    expect(decide('edge', '00', 0.01)).toBe(true);
  });

  it('is settled for the services behind it', () => {
    expect(decide('inside', '01', 0.9)).toBe(true);
    expect(decide('inside', '00', 0.01)).toBe(false);
  });

  it('is not in the id of a trace, which its caller can choose', () => {
    // The lowest of all ids: by id it would be kept at any ratio.
    expect(decide('edge', '01', 0.5)).toBe(false);
  });

  it('is lost with a context that is only passed on', () => {
    expect(unsampled(`${PARENT}-01`)).toBe(`${PARENT}-00`);
    expect(unsampled(`${PARENT}-00`)).toBe(`${PARENT}-00`);
    expect(unsampled('')).toBe('');
  });
});

it('stays away from subcommands, whose service has the port', async () => {
  const port = await listening(createServer());
  const argv = ['node', 'main.js', 'migrate'];
  const telemetry = beginTelemetry('tested', 'inside', { METRICS_PORT: `${port}` }, argv);
  await telemetry.ready;
});
