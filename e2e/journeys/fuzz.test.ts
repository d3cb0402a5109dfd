import { randomUUID } from 'node:crypto';
import { buildOpenApi, type Operation } from '@credit/contract';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { API_PREFIX, declared, faultsOf, pathOf, queryOf } from '../support/api';
import { Chance } from '../support/chance';
import {
  type MutatedRequest,
  mutateBytes,
  mutatedRequest,
  type Surroundings,
} from '../support/mutated-request';
import { HttpPeer, type RawOutcome, type Reply, sendBytes, toBytes } from '../support/wire';

/** `FUZZ_REQUESTS=20000 FUZZ_SEED=…` looks longer or elsewhere. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const AT_ONCE = 16;
/** How many of the requests are changed below HTTP as well. */
const RAW_SHARE = 0.1;

let system: System;
let anonymous: Client;
let administrator: Client;
/** A session that may end: the others are needed to the last. */
let leaving: Client;
let lender: Member;
let bystander: Member;
let surroundings: Surroundings;

beforeAll(async () => {
  system = await startSystem({
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_DAY: '10000000',
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
    RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '1000000',
    // Hashing passwords is slow on purpose; the throttle in front of it is what a guesser meets.
    LOGIN_FAILURES_PER_ADDRESS: '20',
  });
  anonymous = new Client(system.base_url);
  administrator = await logIn(anonymous, system.superadmin.email, system.superadmin.password);
  leaving = await logIn(anonymous, system.superadmin.email, system.superadmin.password);
  lender = await enrol(anonymous, administrator, 'Fuzzed Lender');
  bystander = await enrol(anonymous, administrator, 'Bystander');
  await openLoan(bystander);
  const things = await openLoan(lender);
  const webhook = await lender.key.create('/webhooks', {
    url: 'https://127.0.0.1:9/hook',
    events: ['credit.default.reported'],
  });
  const spare = await lender.owner.create('/api-keys', {
    display_name: 'spare',
    scopes: ['credit:read'],
    environment: 'live',
  });
  const tokens = [lender.key.token, lender.owner.token, administrator.token, spare.secret];
  surroundings = {
    operations: declared,
    tokens: tokens.filter((token) => token !== undefined),
    tokenFor,
    ids: { ...things, webhook_id: webhook.id, reported_institution_id: lender.institution_id },
  };
}, 150_000);

afterAll(() => system?.stop(), 60_000);

async function openLoan({ key }: Member): Promise<Record<string, string>> {
  const subject = await key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `fuzz-${randomUUID().slice(0, 8)}`,
  });
  const account = await key.create(
    '/accounts',
    {
      subject_id: subject.id,
      external_account_id: `fuzz-${randomUUID()}`,
      account_type: 'TERM_LOAN',
      original_principal: 100,
      opened_at: '2024-01-15T00:00:00Z',
    },
    `fuzz-${randomUUID()}`,
  );
  return {
    subject_id: subject.id,
    game_uuid: subject.game_uuid,
    account_id: account.id,
    credit_account_id: account.id,
  };
}

function tokenFor({ id, access }: Operation): string | undefined {
  if (id === 'logout') return leaving.token;
  switch (access.kind) {
    case 'public':
    case 'token':
      return undefined;
    case 'scope':
    case 'any':
      return lender.key.token;
    case 'user':
      return lender.owner.token;
    case 'platform':
      return administrator.token;
    default:
      return access satisfies never;
  }
}

/** What a neighbour has of its own. */
const seenByBystander = async () =>
  Promise.all([
    bystander.key.get<Json[]>('/accounts'),
    bystander.key.get<Json[]>('/webhooks'),
    bystander.key.get('/auth/me'),
  ]);

function faultsOfReply(sent: MutatedRequest, reply: Reply): string[] {
  const header = (name: string) => {
    const value = reply.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const faults: string[] = [];
  if (reply.status >= 500) faults.push('a server error');
  // An answer to HEAD has no body to look at.
  const text = sent.method === 'HEAD' ? undefined : reply.text;
  if (text === undefined) return faults;
  return [...faults, ...faultsOf(reply.status, header, text)];
}

it(
  `${REQUESTS} odd requests of seed ${SEED} get complete answers, none of them a server error`,
  async () => {
    const before = await seenByBystander();
    const peer = new HttpPeer(system.port, AT_ONCE);
    const statuses: Record<number, number> = {};
    const found: unknown[] = [];
    let next = 0;

    const note = (number: number, sent: MutatedRequest, { replies, waited }: RawOutcome) => {
      const faults = replies.flatMap((reply) => faultsOfReply(sent, reply));
      // Half a request is waited on, as a slow one is; anything else has to be answered.
      if (replies.length === 0 && !waited) faults.push('no answer');
      for (const { status } of replies) statuses[status] = (statuses[status] ?? 0) + 1;
      if (faults.length > 0) found.push(describeFault(number, sent, faults, replies));
    };
    const worker = async () => {
      while (next < REQUESTS && found.length < 20) {
        const number = next++;
        // Each request's own: what it is does not hang on what the others did.
        const chance = new Chance(Math.imul(SEED, 1_000_003) + number);
        const sent = mutatedRequest(chance, surroundings);
        const raw = chance.happens(RAW_SHARE) && sent.method !== 'HEAD';
        try {
          const outcome = raw
            ? await sendBytes(system.port, mutateBytes(chance, toBytes(sent)))
            : { replies: [await peer.send(sent)], waited: false };
          note(number, sent, outcome);
        } catch (error) {
          found.push(describeFault(number, sent, [`${raw ? 'raw: ' : ''}${error}`], []));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    peer.close();

    expect(found).toEqual([]);
    // It has been everywhere, not only at the first check.
    for (const status of [200, 201, 400, 401, 403, 404, 409, 413, 422]) {
      expect(statuses).toHaveProperty(`${status}`);
    }
    expect(system.output()).not.toMatch(/request failed|ended with code|unhandled/);
    expect((await anonymous.get('/public/status')).status).toBe('OPERATIONAL');
    expect(await seenByBystander()).toEqual(before);
    if (REQUESTS > 2_000) console.log(`Answers by status: ${JSON.stringify(statuses)}`);
  },
  60_000 + REQUESTS * 60,
);

/** The text fields of a body that may hold any character, and how many of them, as published. */
function textFields(operation: Operation): [string, number][] {
  const { components, paths } = buildOpenApi() as unknown as Published;
  const path = paths[operation.path] ?? paths[`${API_PREFIX}${operation.path}`];
  const given =
    path?.[operation.method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  const named = given?.$ref?.split('/').at(-1);
  const schema = named === undefined ? given : components.schemas[named];
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const is_free = field.type === 'string' && !field.format && !field.pattern && !field.enum;
    return is_free && field.maxLength !== undefined ? [[name, field.maxLength]] : [];
  });
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: unknown;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Published {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<
      string,
      Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>
    >
  >;
}

it('texts may be as long as is published, in characters that take two units', async () => {
  const refused: unknown[] = [];
  let looked_at = 0;
  for (const operation of declared.filter(({ body }) => body !== undefined)) {
    for (const [name, max] of textFields(operation)) {
      looked_at += 1;
      const example = operation.examples.body as Json;
      const { body } = await anonymous.request(
        operation.method,
        `${pathOf(operation)}${queryOf(operation)}`,
        {
          token: tokenFor(operation),
          body: { ...example, [name]: '😀'.repeat(max) },
          headers: operation.idempotent ? { 'idempotency-key': `emoji-${randomUUID()}` } : {},
        },
      );
      const details = (body?.error?.details ?? []) as { path: string; message: string }[];
      const wrong = details.filter(
        ({ path, message }) => path === name && message.includes('character'),
      );
      if (wrong.length > 0) refused.push([operation.id, wrong]);
    }
  }
  expect(refused).toEqual([]);
  expect(looked_at).toBeGreaterThan(20);
}, 60_000);

function describeFault(number: number, sent: MutatedRequest, faults: string[], replies: Reply[]) {
  return {
    number,
    faults,
    sent: { ...sent, body: sent.body?.toString('latin1').slice(0, 500) },
    replies: replies.map(({ status, text }) => ({ status, text: text.slice(0, 300) })),
  };
}
