import { type TestValkey, testValkey } from '@credit/testing';
import { databaseCounters, valkeyCounters } from './support/counters';
import {
  authorize,
  authorizeOne,
  check,
  eventually,
  type IdentityStub,
  makeKey,
  makeMember,
  startOfMinute,
  useIdentity,
} from './support/identity';

let valkey: TestValkey;

beforeAll(async () => {
  valkey = await testValkey();
}, 60_000);
afterAll(() => valkey.stop());

const PATIENT = '30000';
const identity = useIdentity(() => ({
  RATE_LIMIT_STORE: 'valkey',
  VALKEY_URL: valkey.url,
  VALKEY_TIMEOUT_MS: PATIENT,
  RATE_LIMIT_PER_MINUTE: '20',
  RATE_LIMIT_PER_DAY: '60',
  RATE_LIMIT_INSTITUTION_FACTOR: '3',
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '15',
}));

/** Requests of a key that each store counted. */
async function countedOf(id: string) {
  const [in_valkey, in_database] = await Promise.all([
    valkeyCounters(valkey).dayCount(id),
    databaseCounters(identity).dayCount(id),
  ]);
  return { in_valkey, in_database };
}

const remainingOf = async (stub: IdentityStub, secret: string) =>
  (await authorizeOne(stub, check(secret))).rate?.remaining;

test('whatever is asked, Valkey and the database answer the same', async () => {
  const in_database = await identity.replica({ RATE_LIMIT_STORE: 'postgres' });
  const members = [identity.member, await makeMember(identity.stub, identity.admin)];
  const secrets: string[] = [];
  for (const { owner } of [...members, ...members, ...members, ...members]) {
    secrets.push((await makeKey(identity.stub, owner)).secret);
  }
  let state = 20_261;
  const chance = (below: number) => {
    // A fixed sequence: what fails once fails again.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const batches = Array.from({ length: 30 }, () =>
    Array.from({ length: 1 + chance(12) }, () => ({
      ...check(chance(6) === 0 ? '' : (secrets[chance(secrets.length)] ?? ''), '203.0.113.9'),
      count: 1 + chance(4),
    })),
  );
  await startOfMinute(40);
  for (const batch of batches) {
    const [one, other] = await Promise.all([
      authorize(identity.stub, batch),
      authorize(in_database, batch),
    ]);
    expect(one).toEqual(other);
  }
});

test('a counter is gone when its windows are over', async () => {
  const { owner } = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, owner);
  await authorize(identity.stub, [check(key.secret)]);
  const left_s = Number(await valkey.command('TTL', `credit:rate:${key.id}`));
  expect(left_s).toBeGreaterThan(0);
  expect(left_s).toBeLessThanOrEqual(86_400 + 60);
  // docs/runbooks/RateStoreAway.md says how much room one takes.
  const bytes = Number(await valkey.command('MEMORY', 'USAGE', `credit:rate:${key.id}`));
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(200);
});

test('a server that was restarted is given the script again', async () => {
  const { owner } = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, owner);
  await valkey.command('SCRIPT', 'FLUSH');
  await startOfMinute(10);
  expect(await remainingOf(identity.stub, key.secret)).toBe(19);
  expect(await countedOf(key.id)).toEqual({ in_valkey: 1, in_database: 0 });
});

test('what Valkey refuses the database counts, and Valkey goes on when it can', async () => {
  const { owner } = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, owner);
  await startOfMinute(20);
  await valkey.command('CONFIG', 'SET', 'maxmemory', '1');
  try {
    expect(await remainingOf(identity.stub, key.secret)).toBe(19);
    expect(await countedOf(key.id)).toEqual({ in_valkey: 0, in_database: 1 });
  } finally {
    await valkey.command('CONFIG', 'SET', 'maxmemory', '0');
  }
  await eventually(async () => {
    await authorizeOne(identity.stub, check(key.secret));
    expect((await countedOf(key.id)).in_valkey).toBeGreaterThan(0);
  });
});

test('a server that says nothing holds nobody up, and is asked again when it speaks', async () => {
  if (valkey.pid === undefined) return;
  const { owner } = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, owner);
  const hurried = await identity.replica({ VALKEY_TIMEOUT_MS: '2000' });
  process.kill(valkey.pid, 'SIGSTOP');
  try {
    const results = await Promise.all(
      Array.from({ length: 5 }, () => authorizeOne(hurried, check(key.secret))),
    );
    expect(results.map(({ state }) => state)).toEqual(Array(5).fill('VALID'));
    // It has been given up by now: others do not wait for it.
    await authorizeOne(hurried, check(key.secret));
    expect(await databaseCounters(identity).dayCount(key.id)).toBe(6);
  } finally {
    process.kill(valkey.pid, 'SIGCONT');
  }
  const before = (await countedOf(key.id)).in_valkey;
  await eventually(async () => {
    await authorizeOne(hurried, check(key.secret));
    expect((await countedOf(key.id)).in_valkey).toBeGreaterThan(before);
  });
}, 120_000);

test('without a server the database counts', async () => {
  const alone = await identity.replica({ VALKEY_URL: 'redis://127.0.0.1:1' });
  const { owner } = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, owner);
  expect((await authorizeOne(alone, check(key.secret))).state).toBe('VALID');
  expect(await countedOf(key.id)).toEqual({ in_valkey: 0, in_database: 1 });
});
