// The first version's data, brought up to today's: what was there is there, and what that version
// got wrong is right.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Json, logIn } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { type FirstVersion, layFirstVersion, readFirstVersion } from '../support/first-version';
import { ShiftedClock } from '../support/shifted-clock';

const MINUTE_MS = 60_000;

let version: FirstVersion;
let clock: ShiftedClock;
let system: System;
let alder: Client;
let birch: Client;
let test_house: Client;

beforeAll(async () => {
  version = readFirstVersion();
  clock = new ShiftedClock();
  // Ten minutes after it was stopped: days past due are what they were.
  await clock.set(Date.parse(version.known.made_at) + 10 * MINUTE_MS);
  system = await startSystem(clock.environment, await layFirstVersion(version));
  const { keys } = version.known;
  const anonymous = new Client(system.base_url);
  [alder, birch, test_house] = [keys.alder, keys.birch, keys.cedar_test].map((key) =>
    anonymous.as(key),
  ) as [Client, Client, Client];
}, 240_000);

afterAll(async () => {
  await system?.stop();
  clock?.remove();
}, 60_000);

/** Whose an account is, the two lenders know. */
async function asFurnisher<T>(ask: (client: Client) => Promise<T>): Promise<T> {
  return ask(alder).catch(() => ask(birch));
}

const accountOf = (name: string): Promise<Json> =>
  asFurnisher((client) => client.get(`/accounts/${version.known.accounts[name]}`));

const eventsOf = (name: string): Promise<Json[]> =>
  asFurnisher((client) =>
    client.get<Json[]>(`/accounts/${version.known.accounts[name]}/events?limit=100`),
  );

it('lets everybody in with what they had', async () => {
  for (const client of [alder, birch, test_house]) await client.get('/auth/me');
  const { email, password } = version.superadmin;
  const administrator = await logIn(new Client(system.base_url), email, password);
  expect((await administrator.get<Json[]>('/admin/institutions')).length).toBe(3);
});

it('keeps every event as it was reported', async () => {
  const FIXED = ['id', 'event_type', 'occurred_at', 'reported_at', 'sequence', 'amount'];
  const fixed = (event: Json) => FIXED.map((name) => event[name]);
  let compared = 0;
  for (const name of Object.keys(version.known.accounts)) {
    const before: Json[] = version.known.answers[`events ${name}`];
    expect([name, (await eventsOf(name)).map(fixed)]).toEqual([name, before.map(fixed)]);
    compared += before.length;
  }
  expect(compared).toBe(73);
});

it('keeps what accounts were, where the rules are the same', async () => {
  for (const name of ['calm', 'cured', 'written_off', 'restructured', 'paid', 'flagged']) {
    const before: Json = version.known.answers[`account ${name}`];
    expect(await accountOf(name)).toMatchObject({
      id: before.id,
      status: before.status,
      current_balance: before.current_balance,
      external_account_id: before.external_account_id,
      opened_at: before.opened_at,
    });
  }
});

it('finds the record, the scores and the logs in order', async () => {
  for (const [service, command] of [
    ['reporting', 'verify-record'],
    ['scoring', 'reconcile'],
    ['identity', 'verify-audit'],
  ] as const) {
    const { exit_code, output } = await system.runCommand(service, command);
    expect([command, exit_code, exit_code === 0 ? '' : output]).toEqual([command, 0, '']);
  }
}, 60_000);

it('reads a report of then, to the byte of its hash', async () => {
  expect(await alder.get(`/reports/${version.known.report}`)).toMatchObject({
    status: 'READY',
    content_sha256: version.known.report_sha256,
  });
});

it('compares names of then as names of today, and lists the twins among them', async () => {
  const { twin, twin_invisible, organisation } = version.known.subjects;
  const found = async (q: string) =>
    (await alder.get<Json[]>(`/subjects?q=${encodeURIComponent(q)}`)).map(({ id }) => id);
  // A worker looks through them from the start on.
  for (let tries = 0; tries < 100 && (await found('twin-name')).length < 2; tries += 1) {
    await sleep(100);
  }
  expect(await found('twin-name')).toEqual([twin_invisible, twin]);
  expect(await found('ot-1')).toEqual([organisation]);
  const third = {
    type: 'INDIVIDUAL',
    game_uuid: '3c1d8c5e-0d8a-4b4e-9d55-0c5b8f6a7e10',
    current_username: 'Twin\u2060-Name',
  };
  expect(await alder.request('POST', '/subjects', { body: third })).toMatchObject({
    status: 409,
    body: { error: { existing_id: twin } },
  });
  const { output } = await system.runCommand('reporting', 'list-collisions');
  expect(output).toContain(`username: ${twin_invisible} has that of ${twin}`);
}, 60_000);

it('keeps test data apart', async () => {
  const { test } = version.known.subjects;
  expect((await alder.request('GET', `/credit/${test}?purpose=PREQUALIFICATION`)).status).toBe(404);
  expect((await test_house.get(`/credit/${test}?purpose=PREQUALIFICATION`)).subject.id).toBe(test);
});

describe('what that version got wrong', () => {
  it('counts trouble from its beginning, whatever came later', async () => {
    const days = async (name: string) => (await accountOf(name)).days_past_due;
    const before = (name: string) => version.known.answers[`account ${name}`].days_past_due;
    // A default without an earlier late payment had no days at all; a late one of yesterday had one.
    expect([before('reaged'), await days('reaged')]).toEqual([1, 2540]);
    // Created delinquent, and told of a late payment of a hundred days ago afterwards.
    expect([before('created_delinquent'), await days('created_delinquent')]).toEqual([30, 100]);
    // Moved to ten days ago, and corrected once more without a date.
    expect([before('redated'), await days('redated')]).toEqual([100, 10]);
  });

  it('names of every superseded event the one that superseded it', async () => {
    for (const name of Object.keys(version.known.accounts)) {
      const events = await eventsOf(name);
      const ids = new Set(events.map(({ id }) => id));
      for (const { id, effect, superseded_by_event_id } of events) {
        if (effect !== 'SUPERSEDED') continue;
        expect([name, id, ids.has(superseded_by_event_id)]).toEqual([name, id, true]);
      }
    }
  });

  it('lets a late payment of yesterday revive no default of seven years ago', async () => {
    const { reaged } = version.known.subjects;
    const { risk } = await alder.get<Json>(`/credit/${reaged}?purpose=ACCOUNT_REVIEW`);
    expect(risk).toMatchObject({ max_days_past_due: 2540, active_defaults: 1 });
    await clock.set(Date.parse(version.known.made_at) + 20 * 86_400_000);
    const later = await alder.get<Json>(`/credit/${reaged}?purpose=ACCOUNT_REVIEW`);
    expect(later.risk).toMatchObject({ max_days_past_due: 0, active_defaults: 0 });
    await clock.set(Date.parse(version.known.made_at) + 10 * MINUTE_MS);
  });
});
