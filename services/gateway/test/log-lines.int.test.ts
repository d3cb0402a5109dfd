import { unavailable } from '@credit/platform/errors';
import { createLogger } from '@credit/platform/runtime';
import { trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { API_KEY, TestGateway } from './support/gateway';
import { declaredAs, exampleRequest } from './support/scenarios';

/** Keeps what a logger writes, as it is written. */
class LineKeeper {
  readonly lines: string[] = [];
  readonly logger;

  constructor(service: string) {
    const write = (line: string) => this.lines.push(line);
    this.logger = createLogger({ service, level: 'debug', destination: { write } });
  }

  /** The lines that tell of a request, parsed. */
  of(request_id: string): Record<string, unknown>[] {
    return this.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((fields) => fields.request_id === request_id);
  }
}

const at_gateway = new LineKeeper('gateway');
const at_service = new LineKeeper('reporting');
const gateway = new TestGateway({ gateway: at_gateway.logger, service: at_service.logger });

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const createAccount = exampleRequest(declaredAs('createAccount'));

beforeAll(async () => {
  trace.setGlobalTracerProvider(new NodeTracerProvider());
  await gateway.start();
});
afterAll(async () => {
  await gateway.stop();
  trace.disable();
});
beforeEach(() => gateway.reset());

async function fail(request_id: string, headers: Record<string, string>, error: Error) {
  gateway.services.answer('createAccount', () => {
    throw error;
  });
  const reply = await gateway.call({
    ...createAccount,
    headers: { ...createAccount.headers, ...headers, 'X-Request-ID': request_id },
  });
  expect(reply.status).toBe(500);
}

test('the gateway and a service behind it write the trace that the caller began', async () => {
  await fail('traced', { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` }, new Error('odd'));
  expect(at_gateway.of('traced')).toMatchObject([
    {
      service: 'gateway',
      level: 'error',
      operation: 'createAccount',
      trace_id: TRACE_ID,
      msg: 'request failed',
    },
  ]);
  expect(at_service.of('traced')).toMatchObject([
    {
      service: 'reporting',
      level: 'error',
      method: expect.stringMatching(/ReportingService\/CreateAccount$/),
      trace_id: TRACE_ID,
      msg: 'rpc handler failed',
    },
  ]);
});

test('without the caller’s, both write the one that the gateway began', async () => {
  await fail('own', {}, new Error('odd'));
  const [line] = at_gateway.of('own');
  expect(line?.trace_id).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  expect(at_service.of('own')).toMatchObject([{ trace_id: line?.trace_id }]);
});

test('a refusal is one short line with the trace', async () => {
  const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`;
  await fail('busy', { traceparent }, unavailable('The database is away.', 1));
  const [line, ...others] = at_gateway.of('busy');
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: 'warn', trace_id: TRACE_ID, msg: 'refused' });
  expect(line).not.toHaveProperty('err');
});

test('no line holds the credential or what was sent', () => {
  const lines = [...at_gateway.lines, ...at_service.lines];
  expect(lines.length).toBeGreaterThanOrEqual(5);
  const { external_account_id } = declaredAs('createAccount').examples.body as {
    external_account_id: string;
  };
  for (const secret of [API_KEY, API_KEY.slice(-20), external_account_id]) {
    expect(secret).toMatch(/./);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  }
});
