import { randomUUID } from 'node:crypto';
import type { Operation } from '@credit/contract';
import { type Client, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { SCOPES } from '@credit/platform/values';
import fc from 'fast-check';
import { declared, faultsOf, pathOf, queryOf } from '../support/api';
import { Chance } from '../support/chance';
import { company } from '../support/company';
import { conformingBodies } from '../support/conforming';
import {
  type MutatedRequest,
  mutateBytes,
  mutatedRequest,
  type Surroundings,
} from '../support/mutated-request';
import { letIn } from '../support/person';
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
let person_leaving: string | undefined;
let lender: Member;
let bystander: Member;
let surroundings: Surroundings;
/** The person whom the lender's record is about. */
let of_person: string | undefined;
/** For what takes test keys alone. */
let test_key: string;

beforeAll(async () => {
  system = await startSystem({
    // A busy machine draws a file slowly: that is no fault of a request.
    CALL_TIMEOUT_MS: '60000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_DAY: '10000000',
    RATE_LIMIT_PERSON_PER_MINUTE: '1000000',
    RATE_LIMIT_PERSON_PER_DAY: '10000000',
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
    RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '1000000',
    // Hashing passwords is slow on purpose; the throttle in front of it is what a guesser meets.
    LOGIN_FAILURES_PER_ADDRESS: '20',
  });
  ({
    anonymous,
    administrator,
    members: { lender, bystander },
  } = await company(system, { lender: 'Fuzzed Lender', bystander: 'Bystander' }));
  leaving = await logIn(anonymous, system.superadmin.email, system.superadmin.password);
  await openLoan(bystander);
  const things = await openLoan(lender);
  person_leaving = (await letIn(anonymous, lender.key, things.subject_id ?? '')).token;
  of_person = (await letIn(anonymous, lender.key, things.subject_id ?? '')).token;
  const webhook = await lender.key.create('/webhooks', {
    url: 'https://127.0.0.1:9/hook',
    events: ['credit.default.reported'],
  });
  const spare = await lender.owner.create('/api-keys', {
    display_name: 'spare',
    scopes: ['credit:read'],
    environment: 'live',
  });
  const testing = await lender.owner.create('/api-keys', {
    display_name: 'testing',
    scopes: SCOPES,
    environment: 'test',
  });
  test_key = testing.secret;
  const tokens = [lender.key.token, lender.owner.token, administrator.token, spare.secret];
  surroundings = {
    operations: declared,
    tokens: tokens.filter((token) => token !== undefined),
    tokenFor,
    ids: { ...things, webhook_id: webhook.id, reported_institution_id: lender.institution_id },
  };
}, 240_000);

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
  if (id === 'endMySession') return person_leaving;
  switch (access.kind) {
    case 'public':
    case 'token':
      return undefined;
    case 'scope':
      return access.environment === 'test' ? test_key : lender.key.token;
    case 'person':
      return of_person;
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

/** Of each operation; `CONFORMING_BODIES=1000` looks longer. */
const CONFORMING_BODIES = Number(process.env.CONFORMING_BODIES ?? 40);

/** What a refusal says of a value's own shape, whatever else is on record. */
const OF_SHAPE =
  /^must (?:have .*(?:characters|seen)|not (?:be blank|hold NUL|have a fragment|contain)|be (?:a UUID|an? .*address|an absolute|RFC|a time|one of|a (?:whole )?number|true or false|a string|an object|an array|between|three))/;

it('what the published schema allows, no service refuses for its shape', async () => {
  const refused: unknown[] = [];
  let sent = 0;
  for (const operation of declared) {
    const bodies = conformingBodies(operation);
    const { body: schema } = operation;
    if (bodies === undefined || schema === undefined) continue;
    for (const body of fc.sample(bodies, { numRuns: CONFORMING_BODIES, seed: SEED })) {
      // What the contract's own words forbid beside the schema, as NUL or a blank text, is its own.
      if (!schema.safeParse(body).success) continue;
      sent += 1;
      const { body: answer } = await anonymous.request(
        operation.method,
        `${pathOf(operation)}${queryOf(operation)}`,
        {
          token: tokenFor(operation),
          body,
          headers: operation.idempotent ? { 'idempotency-key': `law-${randomUUID()}` } : {},
        },
      );
      const details = (answer?.error?.details ?? []) as { path: string; message: string }[];
      const wrong = details.filter(
        ({ path, message }) =>
          OF_SHAPE.test(message) || (message === 'is required' && path in (body as object)),
      );
      if (wrong.length > 0) refused.push({ operation: operation.id, wrong, body });
    }
  }
  expect(refused).toEqual([]);
  expect(sent).toBeGreaterThan(10 * CONFORMING_BODIES);
}, 180_000);

function describeFault(number: number, sent: MutatedRequest, faults: string[], replies: Reply[]) {
  return {
    number,
    faults,
    sent: { ...sent, body: sent.body?.toString('latin1').slice(0, 500) },
    replies: replies.map(({ status, text }) => ({ status, text: text.slice(0, 300) })),
  };
}
