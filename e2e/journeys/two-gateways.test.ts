import { type Answer, Client, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { company } from '../support/company';
import { runSql } from '../support/postgres';
import { type SecondGateway, startSecondGateway } from '../support/second-gateway';

/** `REVOCATIONS=1000` looks longer. */
const REVOCATIONS = Number(process.env.REVOCATIONS ?? 200);
const PER_MINUTE = 3_000;
const PER_DAY = 100_000;
const ANONYMOUS_PER_MINUTE = 120;
const PUBLIC_WRITES_PER_MINUTE = 10;

const TRUSTED_PROXIES = '127.0.0.1';

let system: System;
let second: SecondGateway;
let gateways: [Client, Client];
let administrator: Client;
let lender: Member;

beforeAll(async () => {
  system = await startSystem({
    TRUSTED_PROXIES,
    RATE_LIMIT_PER_MINUTE: `${PER_MINUTE}`,
    RATE_LIMIT_PER_DAY: `${PER_DAY}`,
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: `${ANONYMOUS_PER_MINUTE}`,
    RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: `${PUBLIC_WRITES_PER_MINUTE}`,
  });
  second = await startSecondGateway(system, { TRUSTED_PROXIES });
  gateways = [new Client(system.base_url), new Client(second.base_url)];
  ({
    administrator,
    members: { lender },
  } = await company(system, { lender: 'Two Doors' }));
}, 240_000);

afterAll(async () => {
  await second?.stop();
  await system?.stop();
}, 60_000);

const newKey = () =>
  lender.owner.create('/api-keys', {
    display_name: 'two doors',
    scopes: ['credit:read'],
    environment: 'test',
  });

const me = (gateway: Client, token: string | undefined) =>
  gateway.request('GET', '/auth/me', { token });

/** Waits until enough of the minute is left for what has to happen within one. */
async function earlyInMinute(needed_s: number): Promise<void> {
  const left_ms = 60_000 - (Date.now() % 60_000);
  if (left_ms < needed_s * 1_000) await new Promise((resolve) => setTimeout(resolve, left_ms + 50));
}

it(
  `refuse a key after its end at either of them, ${REVOCATIONS} times of ${REVOCATIONS}`,
  async () => {
    let usable = 0;
    for (let round = 0; round < REVOCATIONS; round += 1) {
      const [here, there] = round % 2 === 0 ? gateways : ([gateways[1], gateways[0]] as const);
      const key = await newKey();
      const used = await Promise.all([me(here, key.secret), me(there, key.secret)]);
      expect(used.map(({ status }) => status)).toEqual([200, 200]);

      const owner = here.as(lender.owner.token ?? '');
      // Every fourth is replaced instead: the old key is as dead.
      if (round % 4 === 3) await owner.create(`/api-keys/${key.id}/rotate`, undefined);
      else await owner.expect(204, 'DELETE', `/api-keys/${key.id}`);

      const after = await Promise.all(
        [there, there, here, there].map((gateway) => me(gateway, key.secret)),
      );
      usable += after.filter(({ status }) => status !== 401).length;
    }
    expect(usable).toBe(0);
  },
  60_000 + REVOCATIONS * 200,
);

it('refuse a user whose sessions ended at the other one', async () => {
  const [here, there] = gateways;
  for (let round = 0; round < 5; round += 1) {
    const email = `short-${round}@two-doors.example`;
    const { user, temporary_password } = await administrator.create('/admin/users', {
      email,
      display_name: 'Short',
      institution_id: lender.institution_id,
      role: 'VIEWER',
    });
    const { token } = await logIn(there, email, temporary_password);
    // Known, and told that the temporary password has to be changed.
    expect((await me(there, token)).status).toBe(200);
    await here.expect(200, 'POST', `/admin/users/${user.id}/revoke-sessions`, {
      token: administrator.token,
    });
    expect((await me(there, token)).status).toBe(401);
  }
});

it('refuse after a pause what was revoked during it, and nothing else', async () => {
  const key = await newKey();
  const other = await newKey();
  const [running, paused] = gateways;
  expect((await me(paused, key.secret)).status).toBe(200);

  second.pause();
  let waiting: Promise<Answer>[];
  try {
    // Sent before the revocation, and not looked at before it is over.
    waiting = [me(paused, key.secret)];
    await new Promise((resolve) => setTimeout(resolve, 200));
    await running.expect(204, 'DELETE', `/api-keys/${key.id}`, { token: lender.owner.token });
    waiting.push(me(paused, key.secret), me(paused, other.secret));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  } finally {
    second.resume();
  }
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([401, 401, 200]);
});

/** Sends `count` requests, by turns to both gateways, `at_once` of them at any time. */
async function flood(
  count: number,
  at_once: number,
  send: (gateway: Client, number: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const number = next++;
      answers.push(await send(gateways[number % 2 === 0 ? 0 : 1], number));
    }
  };
  await Promise.all(Array.from({ length: at_once }, worker));
  return answers;
}

function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('limits over both of them', () => {
  it('of a key are exact to the request, each of which is told what is left', async () => {
    const { secret } = await newKey();
    const neighbour = await newKey();
    await earlyInMinute(25);
    const answers = await flood(PER_MINUTE + 600, 64, (gateway) => me(gateway, secret));
    expect(tally(answers)).toEqual({ 200: PER_MINUTE, 429: 600 });

    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: PER_MINUTE }, (_, n) => n));
    for (const { status, headers } of answers) {
      expect(headers.get('x-ratelimit-limit')).toBe(`${PER_MINUTE}`);
      if (status !== 429) continue;
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      const wait_s = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000;
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(wait_s));
    }
    expect((await me(gateways[1], neighbour.secret)).status).toBe(200);
  }, 120_000);

  it('of a key’s day are exact, and name the day’s end', async () => {
    const { id, secret } = await newKey();
    const neighbour = await newKey();
    await me(gateways[0], secret);
    const left_of_day = 50;
    const turn = (change: string) =>
      runSql(system, `UPDATE identity.rate_counters SET ${change} WHERE id = $1`, [id]);
    await earlyInMinute(15);
    await turn(`day_count = ${PER_DAY - left_of_day}`);
    const answers = await flood(120, 16, (gateway) => me(gateway, secret));
    expect(tally(answers)).toEqual({ 200: left_of_day, 429: 70 });

    const midnight_s = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
    for (const { status, headers } of answers) {
      expect(headers.get('x-ratelimit-limit')).toBe(`${PER_DAY}`);
      expect(headers.get('x-ratelimit-reset')).toBe(`${midnight_s}`);
      if (status !== 429) continue;
      const wait_s = midnight_s - Date.now() / 1_000;
      expect(Math.abs(Number(headers.get('retry-after')) - wait_s)).toBeLessThan(15);
    }
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: left_of_day }, (_, n) => n));
    expect((await me(gateways[1], neighbour.secret)).status).toBe(200);

    // The next day begins anew.
    await turn('day = day - 1');
    expect((await me(gateways[1], secret)).status).toBe(200);
  }, 90_000);

  it('of an address are exact too, and leave valid keys behind it alone', async () => {
    const { secret } = await newKey();
    const headers = { 'x-forwarded-for': '198.51.100.20' };
    await earlyInMinute(10);
    const answers = await flood(ANONYMOUS_PER_MINUTE + 80, 32, (gateway) =>
      gateway.request('GET', '/public/member-institutions', { headers }),
    );
    expect(tally(answers)).toEqual({ 200: ANONYMOUS_PER_MINUTE, 429: 80 });
    const behind = await gateways[1].request('GET', '/auth/me', { token: secret, headers });
    expect(behind.status).toBe(200);
    const elsewhere = { 'x-forwarded-for': '198.51.100.21' };
    const next_door = await gateways[0].request('GET', '/public/member-institutions', {
      headers: elsewhere,
    });
    expect(next_door.status).toBe(200);
  }, 90_000);

  it.each([
    ['198.51.100.30', () => '198.51.100.30'],
    ['all of an IPv6 network', (number: number) => `2001:db8:7:8::${(number + 1).toString(16)}`],
  ])(
    'of a public write from %s are exact',
    async (_place, addressOf) => {
      await earlyInMinute(10);
      const answers = await flood(30, 15, (gateway, number) =>
        gateway.request('POST', '/public/contact', {
          body: { name: 'Grace', email: 'grace@lender.example', message: `Number ${number}` },
          headers: { 'x-forwarded-for': addressOf(number) },
        }),
      );
      expect(tally(answers)).toEqual({ 201: PUBLIC_WRITES_PER_MINUTE, 429: 20 });
    },
    90_000,
  );
});
