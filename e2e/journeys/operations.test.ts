import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client, Member } from '@credit/local/demo/client';
import { type Receiver, startReceiver } from '@credit/local/demo/receiver';
import { httpIsReady, rpcIsServing } from '@credit/local/readiness';
import { type System, startSystem } from '@credit/local/spawned-system';
import { systemContext } from '@credit/platform/context';
import { createChannel, grpcDefinition, RpcError } from '@credit/platform/rpc';
import { tlsFromEnvironment } from '@credit/platform/runtime';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { freePortRow } from '@credit/servers';
import { credentials, Client as GrpcClient, status as GrpcStatus } from '@grpc/grpc-js';
import { BalancedClient } from '../support/balanced-client';
import { openLoan } from '../support/borrower';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { readMetrics, type Sample } from '../support/metrics';
import { type SpanSink, type SunkSpan, startSpanSink } from '../support/span-sink';

/** `ROLLING_SECONDS=60` looks longer. */
const ROLLING_SECONDS = Number(process.env.ROLLING_SECONDS ?? 20);
/** In the order of their ports. */
const SERVICES = ['identity', 'reporting', 'scoring', 'disputes', 'webhooks', 'gateway'];

let system: System;
let sink: SpanSink;
let receiver: Receiver;
let first_metrics_port: number;
let lender: Member;
let anonymous: Client;

// Two of each service, with certificates, as in a cluster.
beforeAll(async () => {
  sink = await startSpanSink();
  first_metrics_port = await freePortRow(2 * SERVICES.length);
  system = await startSystem({
    REPLICAS: '2',
    MUTUAL_TLS: '1',
    TLS_RELOAD_MS: '200',
    DRAIN_GRACE_MS: '1000',
    METRICS_PORT: `${first_metrics_port}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    LOG_FORMAT: 'json',
    RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '100000',
  });
  receiver = await startReceiver(system.data_directory);
  ({
    anonymous,
    members: { lender },
  } = await company(system, { lender: 'Watched Lender' }));
}, 240_000);

afterAll(async () => {
  await receiver?.stop();
  await system?.stop();
  await sink?.stop();
}, 60_000);

describe('one trace', () => {
  it('goes from the request over gRPC, SQL and NATS to the webhook', async () => {
    await lender.key.create('/webhooks', {
      url: `${receiver.url}/hook`,
      events: ['credit.default.reported'],
    });
    const { account } = await openLoan(lender.key);
    const trace_id = randomBytes(16).toString('hex');
    const caller_span_id = randomBytes(8).toString('hex');
    await lender.key.expect(201, 'POST', `/accounts/${account.id}/events`, {
      body: { event_type: 'DEFAULT_REPORTED', occurred_at: new Date().toISOString() },
      headers: {
        'idempotency-key': `default-${randomUUID()}`,
        // Its flag says that it is not kept: that is ours to decide.
        traceparent: `00-${trace_id}-${caller_span_id}-00`,
      },
    });
    const spans = await eventually(
      () => sink.of(trace_id),
      // Each process sends its spans when it comes to it: those of a parent may come last.
      (some) =>
        ['deliver webhook', 'reportEvent'].every((name) => some.some(isNamed(name))) &&
        orphansOf(some, caller_span_id).length === 0,
    );
    const one = (service: string, name: string, kind: number): SunkSpan => {
      const found = spans.find(
        (span) => span.service === service && span.name === name && span.kind === kind,
      );
      if (found === undefined) throw new Error(`No ${name} in ${JSON.stringify(spans)}`);
      return found;
    };
    const rpc = 'credit.reporting.v1.ReportingService/ReportEvent';
    const operation = one('gateway', 'reportEvent', 2);
    const call = one('gateway', rpc, 3);
    const handler = one('reporting', rpc, 2);
    const statement = one('reporting', 'changes_write_events', 3);
    const publish = one('reporting', 'publish default_reported', 4);
    const consume = one('webhooks', 'consume webhooks-default_reported', 5);
    const inbox = one('webhooks', 'inbox_remember', 3);
    const delivery = one('webhooks', 'deliver webhook', 3);
    expect(operation.parent_span_id).toBe(caller_span_id);
    expect(call.parent_span_id).toBe(operation.span_id);
    expect(handler.parent_span_id).toBe(call.span_id);
    for (const caused of [statement, publish, consume, delivery]) {
      expect([caused.name, caused.parent_span_id]).toEqual([caused.name, handler.span_id]);
    }
    expect(inbox.parent_span_id).toBe(consume.span_id);
  }, 60_000);

  it('does not go outside: the receiver is told of none', () => {
    expect(receiver.received.length).toBeGreaterThan(0);
    for (const { headers } of receiver.received) expect(headers.traceparent).toBeUndefined();
  });
});

/** Spans whose parent is neither among them nor the caller's. */
function orphansOf(spans: SunkSpan[], caller_span_id: string): SunkSpan[] {
  const known = new Set([caller_span_id, ...spans.map(({ span_id }) => span_id)]);
  return spans.filter(({ parent_span_id }) => !known.has(parent_span_id));
}

function isNamed(name: string): (span: SunkSpan) => boolean {
  return (span) => span.name === name;
}

describe('/metrics', () => {
  let samples: Map<string, Sample[]>;

  beforeAll(async () => {
    const { subject } = await openLoan(lender.key);
    await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
    await lender.key.get('/disputes');
    await anonymous.request('GET', '/no-such-route');
    const path_of_command = path.join(system.root, 'deploy/local/dist/run-command.js');
    await run(process.execPath, [path_of_command, 'scoring', 'reconcile']);
    samples = new Map();
    for (const [index, service] of SERVICES.entries()) {
      const replicas = [index, index + SERVICES.length];
      const read = await Promise.all(
        replicas.map((offset) => readMetrics(first_metrics_port + offset)),
      );
      samples.set(service, read.flat());
    }
  }, 60_000);

  const of = (service: string, name: string) =>
    (samples.get(service) ?? []).filter((sample) => sample.name === name);
  const all = () => [...samples.values()].flat();

  it('shows rate, errors and duration by route at the gateway', () => {
    const counts = of('gateway', 'http_server_request_duration_seconds_count');
    expect(counts.map(({ labels }) => labels)).toContainEqual(
      expect.objectContaining({
        operation: 'getCreditProfile',
        method: 'GET',
        route: '/credit/{subject_id}',
        status: '200',
      }),
    );
    const unknown = counts.find(({ labels }) => labels.route === 'unknown');
    expect(unknown?.labels).toMatchObject({ method: 'unknown', status: '404' });
  });

  it('shows rate, errors and duration by method at every service', () => {
    for (const service of SERVICES.filter((name) => name !== 'gateway')) {
      const methods = new Set(
        of(service, 'rpc_server_duration_seconds_count').map(({ labels }) => labels.rpc_method),
      );
      expect([service, [...methods].some((method) => method?.includes(service))]).toEqual([
        service,
        true,
      ]);
    }
  });

  it('shows outbox, pool, bus, event loop, dead letters and certificate of every service', () => {
    for (const service of SERVICES.filter((name) => name !== 'gateway')) {
      for (const name of [
        'outbox_unpublished',
        'outbox_oldest_age_seconds',
        'dead_letters_waiting',
        'db_pool_connections',
        'bus_usable',
        'bus_reconnects_total',
        'process_event_loop_delay_seconds',
        'tls_certificate_expires_in_seconds',
        'rpc_server_active_calls',
      ]) {
        expect([service, name, of(service, name).length > 0]).toEqual([service, name, true]);
      }
    }
    expect(of('gateway', 'tls_certificate_expires_in_seconds')[0]?.value).toBeGreaterThan(86_400);
  });

  it('shows lags of consumers and deliveries, overdue disputes and what differs', () => {
    expect(of('scoring', 'consumer_pending').map(({ labels }) => labels.consumer)).toContain(
      'scoring-account_changed',
    );
    const fresh = of('scoring', 'consumer_event_age_seconds_count');
    expect(fresh.map(({ labels }) => labels.consumer)).toContain('scoring-account_changed');
    for (const [service, name] of [
      ['webhooks', 'webhooks_delivery_due_lag_seconds_count'],
      ['webhooks', 'webhooks_delivery_first_attempt_seconds_count'],
      ['webhooks', 'webhooks_queue_oldest_due_seconds'],
      ['disputes', 'disputes_overdue'],
      ['scoring', 'reconciliation_mismatches'],
      ['scoring', 'reconciliation_age_seconds'],
    ] as const) {
      expect([name, of(service, name).length > 0]).toEqual([name, true]);
    }
    for (const { value } of of('scoring', 'reconciliation_mismatches')) expect(value).toBe(0);
    const commands = of('reporting', 'db_group_commit_waiting').map(({ labels }) => labels.command);
    expect(new Set(commands)).toEqual(new Set(['CreateAccount', 'RecordInquiry', 'ReportEvent']));
  });

  it('labels nothing with a subject, an institution or anything else that there are many of', () => {
    const allowed = new Set([
      'otel_scope_name',
      'service_name',
      'le',
      'operation',
      'method',
      'route',
      'status',
      'rpc_method',
      'rpc_status',
      'consumer',
      'environment',
      'state',
      'quantile',
      'outcome',
      'error_class',
      'work',
      'command',
      'endpoint_class',
      'table',
      'priority',
    ]);
    const series = new Map<string, Set<string>>();
    for (const { name, labels } of all()) {
      const strange = Object.entries(labels).filter(
        ([label, value]) => !allowed.has(label) || /[0-9a-f]{8}-[0-9a-f]{4}|svc_/.test(value),
      );
      expect([name, strange]).toEqual([name, []]);
      const { le: _bucket, ...rest } = labels;
      series.set(name, (series.get(name) ?? new Set()).add(JSON.stringify(rest)));
    }
    for (const [name, of_one] of series) {
      expect([name, of_one.size]).toEqual([name, Math.min(of_one.size, 300)]);
    }
  });

  it('has every metric that dashboards and alerts name', () => {
    const shown = new Set(all().map(({ name }) => name));
    expect(namedMetrics(system.root).filter((name) => !shown.has(name))).toEqual([]);
  });
});

/** What tools/check-observability.mjs found in dashboards and rules. */
function namedMetrics(root: string): string[] {
  const file = path.join(root, 'tools/observability/metrics.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { own: string[] }).own;
}

async function run(command: string, args: string[]): Promise<void> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  await promisify(execFile)(command, args, {
    env: { ...process.env, DATA_DIR: system.data_directory },
  });
}

describe('certificates', () => {
  /** A call of reporting by who has another service's certificate, or none. */
  async function call(
    service: string | undefined,
    method: 'getReportingFigures' | 'listSubjectHeads',
  ) {
    const { mesh_directory = '', rpc_addresses } = system.runRecord();
    const file = (name: string) => path.join(mesh_directory, name);
    const tls =
      service === undefined
        ? undefined
        : tlsFromEnvironment({
            TLS_CERT_FILE: file(`${service}.pem`),
            TLS_KEY_FILE: file(`${service}.key`),
            TLS_CA_FILE: file('ca.pem'),
          });
    const channel = createChannel({
      target: rpc_addresses.reporting ?? '',
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      credentials: tls?.channel,
    });
    try {
      const stub = channel.stub(ReportingServiceDefinition);
      const ctx = systemContext('live', { deadline_at_ms: Date.now() + 5_000 });
      await (method === 'getReportingFigures'
        ? stub.getReportingFigures(ctx, {})
        : stub.listSubjectHeads(ctx, { limit: 1 }));
      return 'OK';
    } catch (error) {
      return error instanceof RpcError ? error.grpc_status : (error as Error).message;
    } finally {
      channel.close();
    }
  }

  it('let a service call what it was given, and the gateway everything', async () => {
    expect(await call('scoring', 'listSubjectHeads')).toBe('OK');
    expect(await call('gateway', 'listSubjectHeads')).toBe('OK');
  });

  it('refuse who has none, and another service for what it was not given', async () => {
    expect(await call(undefined, 'listSubjectHeads')).toBe(14);
    expect(await call('webhooks', 'listSubjectHeads')).toBe(7);
    expect(await call('scoring', 'getReportingFigures')).toBe(7);
  });

  it('are not needed for health checks, and those answer nothing else', async () => {
    const { ports, rpc_addresses } = system.runRecord();
    expect(await rpcIsServing(`127.0.0.1:${ports['reporting-health']}`)).toBe(true);
    expect(await rpcIsServing(rpc_addresses.reporting ?? '')).toBe(false);
    const client = new GrpcClient(
      `127.0.0.1:${ports['reporting-health']}`,
      credentials.createInsecure(),
    );
    const { path: method, requestSerialize } = grpcDefinition(
      ReportingServiceDefinition,
    ).getReportingFigures;
    const status = await new Promise((resolve) => {
      client.makeUnaryRequest(method, requestSerialize, String, {}, (error) =>
        resolve(error?.code),
      );
    });
    client.close();
    expect(status).toBe(GrpcStatus.UNIMPLEMENTED);
  });
});

describe('a rolling restart of every service', () => {
  it(
    `shows nothing to clients in ${ROLLING_SECONDS} s of load`,
    async () => {
      const { account, subject } = await openLoan(lender.key);
      const { gateway_urls } = system.runRecord();
      const client = new BalancedClient(gateway_urls);
      const token = lender.key.token ?? '';
      const counts = new Map<string, number>();
      const wrong: string[] = [];
      let stopping = false;
      const send = async (
        wanted: number,
        ...[method, resource, options]: Parameters<BalancedClient['send']>
      ) => {
        const { status, text } = await client.send(method, resource, { token, ...options });
        const label = `${method} ${resource.split('?')[0]}`;
        counts.set(label, (counts.get(label) ?? 0) + 1);
        if (status !== wanted) wrong.push(`${label}: ${status} ${text}`);
      };
      const requests = [
        () => send(200, 'GET', `/credit/${subject.id}?purpose=ACCOUNT_REVIEW`),
        () =>
          send(201, 'POST', `/accounts/${account.id}/events`, {
            body: {
              event_type: 'PAYMENT_MADE',
              occurred_at: new Date().toISOString(),
              amount: 1,
              balance_after: 100,
            },
            key: `event-${randomUUID()}`,
          }),
        () =>
          send(201, 'POST', '/subjects', {
            body: {
              type: 'INDIVIDUAL',
              game_uuid: randomUUID(),
              current_username: `rolling-${randomUUID()}`,
            },
          }),
        () => send(200, 'GET', '/accounts?limit=5'),
        () => send(200, 'GET', '/webhooks'),
        () => send(200, 'GET', '/disputes'),
        () => send(200, 'GET', '/auth/me'),
        () =>
          send(201, 'POST', '/public/disputes', {
            token: undefined,
            body: {
              subject_id: subject.id,
              opened_by: 'Sam Subject',
              reason: 'FRAUD',
              description: 'This is not mine, and somebody should look at it.',
            },
          }),
      ];
      const workers = requests.map(async (request) => {
        while (!stopping) {
          await request();
          await new Promise((resolve) => setTimeout(resolve, 15));
        }
      });
      const restarted: string[] = [];
      const until_ms = Date.now() + ROLLING_SECONDS * 1_000;
      // The outermost first: a short run has seen it.
      const names = [...SERVICES].reverse().flatMap((name) => [name, `${name}-2`]);
      for (let index = 0; Date.now() < until_ms; index += 1) {
        const name = names[index % names.length] ?? '';
        const started_ms = Date.now();
        await restart(name);
        restarted.push(`${name} (${((Date.now() - started_ms) / 1_000).toFixed(1)} s)`);
      }
      stopping = true;
      await Promise.all(workers);
      client.stop();
      const sent = [...counts.values()].reduce((sum, count) => sum + count, 0);
      console.log(`${sent} requests while ${restarted.join(', ')} restarted`);
      expect(wrong).toEqual([]);
      expect(sent).toBeGreaterThan(100);
      // On a busy machine one takes as long as all of them on a quiet one.
      expect(restarted.length).toBeGreaterThan(0);
    },
    ROLLING_SECONDS * 1_000 + 60_000,
  );

  /** As a rolling update does: the next one has its turn when this one is back. */
  async function restart(name: string): Promise<void> {
    const pidOf = () => system.runRecord().processes.find((one) => one.name === name)?.pid;
    const pid = pidOf();
    if (pid === undefined) throw new Error(`${name} does not run.`);
    process.kill(pid, 'SIGTERM');
    const { ports } = system.runRecord();
    await eventually(
      async () => {
        if (pidOf() === pid || pidOf() === undefined) return false;
        return name.startsWith('gateway')
          ? httpIsReady(`http://127.0.0.1:${ports[name]}/readyz`)
          : rpcIsServing(`127.0.0.1:${ports[`${name}-health`]}`);
      },
      (ready) => ready,
    );
    // Callers find out within their longest pause between two attempts to connect.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
  }
});
