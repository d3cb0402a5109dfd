import { randomUUID } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { INTERNAL_RPCS, type RpcMethod } from '@credit/contract';
import type { Json, Member } from '@credit/local/demo/client';
import { ERRORS, type ErrorCode } from '@credit/platform/errors';
import { GetServiceFiguresResponse } from '@credit/proto/operations/v1/operations';
import { status as GrpcStatus } from '@grpc/grpc-js';
import { declared } from '../support/api';
import { Chance } from '../support/chance';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { type Known, mutatedCall } from '../support/mutated-message';
import { letIn } from '../support/person';
import { protos } from '../support/protos';
import { type RawAnswer, RawCaller } from '../support/raw-rpc';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

/** Of each method; `GRPC_FUZZ_CALLS=500 GRPC_FUZZ_SEED=…` looks longer or elsewhere. */
const CALLS = Number(process.env.GRPC_FUZZ_CALLS ?? 8);
const SEED = Number(process.env.GRPC_FUZZ_SEED ?? 1);
const AT_ONCE = 12;

const SERVICES = ['identity', 'reporting', 'scoring', 'disputes', 'webhooks'] as const;

/** What an answer may be; anything else is a fault of ours. */
const EXPECTED = new Set<GrpcStatus>([
  GrpcStatus.OK,
  ...Object.entries(ERRORS).flatMap(([code, { grpc_status }]) =>
    code === 'INTERNAL_ERROR' ? [] : [grpc_status],
  ),
]);
/** Of whoever gives little time: the outcome of the race is anybody's. */
const LATE = new Set<GrpcStatus>([GrpcStatus.DEADLINE_EXCEEDED, GrpcStatus.CANCELLED]);
/** What the guide says of itself: a log that is shorter than what was signed is a fault of ours. */
const DOCUMENTED: readonly string[] = ['/credit.reporting.v1.ReportingService/ProveEvent'];
const INTERNALS = /SELECT |INSERT |postgres|ECONN|\.[jt]s:\d|Invalid time|undefined|TypeError/;

interface Target {
  readonly service: (typeof SERVICES)[number];
  readonly method: DescMethod;
  readonly path: string;
  /** Whoever may call it sees more than its own: other services, and administrators. */
  readonly is_of_network: boolean;
}

let system: SharedSystem;
let member: Member;
let bystander: Member;
let own: Known;
/** Words of the bystander's that nobody else may come to see. */
let secrets: string[];
let foreign_ids: string[];
const callers = new Map<Target['service'], RawCaller>();

beforeAll(async () => {
  system = await sharedSystem();
  const { anonymous, members } = await company(system, {
    member: 'Mutated Member',
    bystander: 'Mutated Bystander',
  });
  ({ member, bystander } = members);
  const theirs = await recordOf(bystander);
  const mine = await recordOf(member);
  const [hook, user] = [theirs.webhook, await bystander.owner.get('/auth/me')];
  secrets = [theirs.external_id, theirs.reference, hook.url, user.email, theirs.key_name];
  foreign_ids = [theirs.account.id, theirs.event.id, hook.id, theirs.key.id, user.id];
  const me = await member.owner.get('/auth/me');
  const session = await letIn(anonymous, member.key, mine.subject.id);
  expect(session.token).toBeDefined();
  own = {
    institution_id: member.institution_id,
    actors: [
      `user:${me.id}`,
      `user:${me.id}:administers`,
      `api_key:${member.key_id}`,
      `person:${mine.subject.id}`,
      'system:',
    ],
    ids: [mine.subject.id, mine.account.id, mine.event.id, randomUUID()],
    texts: {
      subject_id: [mine.subject.id],
      other_subject_id: [mine.subject.id, randomUUID()],
      account_id: [mine.account.id],
      account_ids: [mine.account.id],
      credit_account_id: [mine.account.id],
      credit_event_id: [mine.event.id],
      event_id: [mine.event.id],
      supersedes_event_id: [mine.event.id],
      webhook_id: [mine.webhook.id],
      key_id: [mine.key.id],
      user_id: [me.id],
      institution_id: [member.institution_id],
      institution_ids: [member.institution_id],
      reported_institution_id: [member.institution_id],
      game_uuid: [mine.subject.game_uuid, randomUUID()],
      // Others are on the machine's own address, and have limits of theirs.
      client_address: ['203.0.113.9', '2001:db8::9'],
      allowed_ips: ['203.0.113.0/24', '2001:db8::1', '203.0.113.9/24'],
      email: ['mutated@member.example'],
      contact_email: ['mutated@member.example'],
      website: ['https://member.example/'],
      evidence_links: ['https://member.example/proof'],
      url: ['https://127.0.0.1:9/hook'],
      events: ['credit.default.reported'],
      scopes: ['credit:read', 'accounts:write'],
      environment: ['live', 'test'],
      currency: ['USD'],
      code: ['123456'],
      password: ['correct horse battery'],
      current_password: ['correct horse battery'],
      new_password: ['another horse battery'],
      columns_json: ['{"external_account_id":"ref"}'],
      constants_json: ['{}'],
      mapping: ['nightly'],
      file_json: ['{"accounts":[]}'],
      content_hash: ['0'.repeat(64)],
      model_version: ['v1'],
      reason: ['They are one person.'],
    },
  };
}, 240_000);

afterAll(() => {
  for (const caller of callers.values()) caller.close();
});

async function recordOf({ key, owner }: Member) {
  const name = randomUUID().slice(0, 13);
  const subject = await key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `player-${name}`,
  });
  const external_id = `ledger-of-${name}`;
  const account = await key.create(
    '/accounts',
    {
      subject_id: subject.id,
      external_account_id: external_id,
      account_type: 'TERM_LOAN',
      original_principal: 5_000,
      opened_at: '2024-01-15T00:00:00Z',
    },
    `open-${name}`,
  );
  const reference = `reference-of-${name}`;
  const body = {
    event_type: 'PAYMENT_MADE',
    occurred_at: '2025-01-15T00:00:00Z',
    amount: 100,
    source_reference: reference,
  };
  const event = await key.create(`/accounts/${account.id}/events`, body, `event-${name}`);
  const webhook = await key.create('/webhooks', {
    url: `https://127.0.0.1:9/hook-of-${name}`,
    events: ['credit.default.reported'],
  });
  const key_name = `key-of-${name}`;
  const spare = await owner.create('/api-keys', {
    display_name: key_name,
    scopes: ['credit:read'],
    environment: 'live',
  });
  return { subject, account, event, webhook, key: spare, external_id, reference, key_name };
}

/** Every unary method that the services have, from the descriptors. */
function targets(): Target[] {
  const found: Target[] = [];
  for (const service of SERVICES) {
    const names = [`credit.${service}.v1.`, 'credit.operations.v1.', 'grpc.health.v1.'];
    for (const declared_service of protos) {
      if (declared_service.kind !== 'service') continue;
      if (!names.some((name) => declared_service.typeName.startsWith(name))) continue;
      for (const method of declared_service.methods) {
        if (method.methodKind !== 'unary') continue;
        const name = `${declared_service.typeName}/${method.name}`;
        found.push({ service, method, path: `/${name}`, is_of_network: isOfNetwork(name) });
      }
    }
  }
  return found;
}

function isOfNetwork(name: string): boolean {
  if (Object.hasOwn(INTERNAL_RPCS, name)) return true;
  const using = declared.filter(({ rpc }) => rpc.includes(name as RpcMethod));
  return using.every(({ access }) => access.kind === 'platform');
}

function faultsOf(
  { method, path }: Target,
  call: ReturnType<typeof mutatedCall>,
  { status, message, response, error }: RawAnswer,
): string[] {
  const faults: string[] = [];
  const is_late = LATE.has(status) && call.timeout_ms < 1_000;
  const is_documented = status === GrpcStatus.INTERNAL && DOCUMENTED.includes(path);
  if (!EXPECTED.has(status) && !is_late && !is_documented)
    faults.push(`${GrpcStatus[status]}: ${message}`);
  const said = `${message} ${error?.message ?? ''} ${JSON.stringify(error?.details ?? [])}`;
  if (INTERNALS.test(said)) faults.push(`says ${said}`);
  if (error !== undefined) {
    const known = ERRORS[error.code as ErrorCode];
    if (known === undefined) faults.push(`${error.code} is no code`);
    else if (known.grpc_status !== status && !is_late)
      faults.push(`${error.code} with ${GrpcStatus[status]}`);
  }
  const shown = `${said} ${response?.toString('latin1') ?? ''}`;
  const leaked = secrets.filter((secret) => shown.includes(secret));
  if (leaked.length > 0) faults.push(`${method.name} shows ${leaked}`);
  return faults;
}

const bystanderSees = () =>
  Promise.all([
    bystander.key.get('/accounts'),
    bystander.key.get('/webhooks'),
    bystander.owner
      .get<Json[]>('/api-keys')
      .then((keys) => keys.map(({ last_used_at: _now, ...key }) => key)),
    bystander.owner.get('/auth/me'),
  ]);

it(
  `${CALLS} random calls of each gRPC method, of seed ${SEED}, are answered or refused`,
  async () => {
    const all = targets();
    expect(all.length).toBeGreaterThan(150);
    const { processes, rpc_addresses } = system.runRecord();
    for (const service of SERVICES)
      callers.set(service, new RawCaller(rpc_addresses[service] ?? ''));
    const before = await bystanderSees();
    const figures = () => Promise.all([...callers.values()].map(figuresOf));
    const given_up = (await figures()).map(({ dead_letters }) => dead_letters);
    const found: unknown[] = [];
    const statuses: Record<string, number> = {};
    const of_members: Known = { ...own, ids: [...own.ids, ...foreign_ids] };
    let next = 0;

    const worker = async () => {
      while (next < all.length * CALLS && found.length < 20) {
        const number = next++;
        // All methods once, then again.
        const target = all[number % all.length] as Target;
        const chance = new Chance(Math.imul(SEED, 1_000_003) + number);
        // What is for the network would change the bystander's, as it may.
        const known = target.is_of_network ? own : withoutNetwork(of_members);
        const call = mutatedCall(chance, target.method.input, known);
        const caller = callers.get(target.service) as RawCaller;
        const { path: method } = target;
        const answer = await (call.tunnelled
          ? caller.tunnelled({ method, ...call })
          : caller.unary({ method, ...call }));
        statuses[GrpcStatus[answer.status]] = (statuses[GrpcStatus[answer.status]] ?? 0) + 1;
        const faults = faultsOf(target, call, answer);
        if (faults.length > 0) {
          const { request, metadata } = call;
          found.push({
            number,
            method,
            faults,
            metadata,
            request: request.toString('latin1').slice(0, 300),
          });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    expect(found).toEqual([]);
    for (const status of ['OK', 'INVALID_ARGUMENT', 'NOT_FOUND', 'FAILED_PRECONDITION']) {
      expect(statuses).toHaveProperty(status);
    }
    // Nobody died of it, and what it left behind for others was taken in.
    expect(system.runRecord().processes).toEqual(processes);
    expect(await bystanderSees()).toEqual(before);
    await eventually(
      () => figures(),
      (all) =>
        all.every(
          ({ outboxes, consumers }) =>
            outboxes.every(({ unpublished }) => unpublished === 0) &&
            consumers.every(({ pending, unacknowledged }) => pending + unacknowledged === 0n),
        ),
    );
    expect((await figures()).map(({ dead_letters }) => dead_letters)).toEqual(given_up);
    if (CALLS > 8) console.log(JSON.stringify(statuses));
  },
  60_000 + CALLS * 4_000,
);

/** The network's administrators may see what is the bystander's. */
function withoutNetwork(known: Known): Known {
  const actors = known.actors.filter(
    (actor) => !actor.endsWith('administers') && actor !== 'system:',
  );
  return { ...known, actors };
}

async function figuresOf(caller: RawCaller): Promise<GetServiceFiguresResponse> {
  const { response } = await caller.unary({
    method: '/credit.operations.v1.OperationsService/GetServiceFigures',
    request: Buffer.alloc(0),
    metadata: { 'credit-environment': 'live' },
    timeout_ms: 10_000,
  });
  if (response === undefined) throw new Error('The service does not say how it is.');
  return GetServiceFiguresResponse.decode(response);
}
