import { newApiKey } from '@credit/platform/credentials';
import { LimitClass } from '@credit/proto/identity/v1/identity';
import { type TestValkey, testValkey } from '@credit/testing';
import { type Counters, databaseCounters, valkeyCounters } from './support/counters';
import {
  authorize,
  authorizeOne,
  check,
  eventually,
  login,
  makeKey,
  makeMember,
  PASSWORD,
  startOfMinute,
  useIdentity,
} from './support/identity';

let valkey: TestValkey;

beforeAll(async () => {
  valkey = await testValkey();
}, 60_000);
afterAll(() => valkey.stop());

// The same limits and answers, wherever requests are counted.
describe.each(['postgres', 'valkey'] as const)('counted in %s', (store) => {
  /** Of a slow machine's server a test is patient, so that no other one counts. */
  const settingsOf = (limits: Record<string, string>) => () => ({
    ...limits,
    RATE_LIMIT_STORE: store,
    VALKEY_URL: valkey.url,
    VALKEY_TIMEOUT_MS: '30000',
  });
  const countersOf = (of: Parameters<typeof databaseCounters>[0]): Counters =>
    store === 'postgres' ? databaseCounters(of) : valkeyCounters(valkey);

  describe('how much', () => {
    const identity = useIdentity(
      settingsOf({
        RATE_LIMIT_PER_MINUTE: '50',
        RATE_LIMIT_PER_DAY: '120',
        RATE_LIMIT_ANONYMOUS_PER_MINUTE: '12',
        RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '5',
      }),
    );
    const counters = () => countersOf(identity);

    test('exactly the limit passes, over two replicas and batches of every size', async () => {
      await startOfMinute(10);
      const other = await identity.replica();
      const key = await makeKey(identity.stub, identity.member.owner);
      const neighbour = await makeKey(identity.stub, identity.member.owner);
      const batches = Array.from({ length: 24 }, (_, index) => {
        const checks = Array.from({ length: 1 + (index % 5) }, () => check(key.secret));
        return authorize(index % 2 === 0 ? identity.stub : other, checks);
      });
      const results = (await Promise.all(batches)).flat();
      expect(results.length).toBeGreaterThan(60);
      expect(results.filter((result) => result.rate?.exceeded === false)).toHaveLength(50);
      // Nobody saw the same rest twice.
      const rests = results
        .filter((result) => result.rate?.exceeded === false)
        .map((result) => result.rate?.remaining ?? -1)
        .sort((a, b) => a - b);
      expect(rests).toEqual(Array.from({ length: 50 }, (_, rest) => rest));
      // Who is over the limit is still known: 401 comes before 429.
      const over = results.find((result) => result.rate?.exceeded);
      expect(over).toMatchObject({ state: 'VALID', rate: { remaining: 0 } });
      expect((await authorizeOne(identity.stub, check(neighbour.secret))).rate).toMatchObject({
        remaining: 49,
      });
    });

    test('checks that stand for many are counted as many, and share a counter in their order', async () => {
      const key = await makeKey(identity.stub, identity.member.owner);
      await startOfMinute(5);
      const several = (count: number, address = '192.0.2.1') => ({
        ...check(key.secret, address),
        count,
      });
      const results = await authorize(identity.stub, [
        several(20),
        several(0, '192.0.2.2'),
        several(40),
        several(5),
      ]);
      expect(
        results.map(({ granted, rate }) => [granted, rate?.remaining, rate?.exceeded]),
      ).toEqual([
        [20, 49, false],
        // None named is one.
        [1, 29, false],
        [29, 28, false],
        [0, 0, true],
      ]);
      // What was refused has used nothing up, and everything is used up.
      const [after] = await authorize(identity.stub, [several(3)]);
      expect(after).toMatchObject({ granted: 0, rate: { remaining: 0, exceeded: true } });
      expect(await counters().dayCount(key.id)).toBe(50);
    });

    test('the order within a batch decides who passes, also from several addresses', async () => {
      await startOfMinute(10);
      const key = await makeKey(identity.stub, identity.member.owner);
      const checks = Array.from({ length: 60 }, (_, index) =>
        check(key.secret, `192.0.2.${index % 7}`),
      );
      const results = await authorize(identity.stub, checks);
      expect(results.map((result) => result.rate?.exceeded)).toEqual(
        results.map((_, index) => index >= 50),
      );
      expect(results.map((result) => result.rate?.remaining)).toEqual(
        results.map((_, index) => Math.max(0, 49 - index)),
      );
    });

    test('a new minute gives the minute back and keeps the day, which ends at exactly its limit', async () => {
      const key = await makeKey(identity.stub, identity.member.owner);
      const nextMinute = () => counters().change(key.id, { minute: -1 });
      const passed = async () => {
        await startOfMinute(5);
        const results = await authorize(
          identity.stub,
          Array.from({ length: 70 }, () => check(key.secret)),
        );
        return results.filter((result) => result.rate?.exceeded === false).length;
      };
      // What was refused in a minute was not taken from the day.
      expect(await passed()).toBe(50);
      await nextMinute();
      expect(await passed()).toBe(50);
      await nextMinute();
      expect(await passed()).toBe(20);
      await nextMinute();
      const { rate } = await authorizeOne(identity.stub, check(key.secret));
      expect(rate).toMatchObject({ exceeded: true, limit: 120, remaining: 0 });
      expect(Number(rate?.reset_s) % 86_400).toBe(0);
      expect(Number(rate?.reset_s)).toBeGreaterThan(Date.now() / 1_000);

      await counters().change(key.id, { day: -1 });
      expect(await passed()).toBe(50);
    });

    test('a row that a later statement moved on is not moved back', async () => {
      await startOfMinute(10);
      const key = await makeKey(identity.stub, identity.member.owner);
      await authorizeOne(identity.stub, check(key.secret));
      await counters().change(key.id, { minute: 1 }, 49);
      const results = await authorize(identity.stub, [check(key.secret), check(key.secret)]);
      expect(results.map((result) => result.rate?.exceeded)).toEqual([false, true]);
      // Further ahead it is the trace of a clock that was set back.
      await counters().change(key.id, { minute: 100 });
      expect((await authorizeOne(identity.stub, check(key.secret))).rate?.exceeded).toBe(false);
    });

    test('without a valid credential the address counts, and valid keys behind it are left alone', async () => {
      await startOfMinute(10);
      const key = await makeKey(identity.stub, identity.member.owner);
      const address = '203.0.113.50';
      const wrong = Array.from({ length: 20 }, () => check(newApiKey('live'), address));
      const results = await authorize(identity.stub, [...wrong, check(key.secret, address)]);
      expect(results.slice(0, 20).filter((result) => !result.rate?.exceeded)).toHaveLength(12);
      expect(results[20]).toMatchObject({
        state: 'VALID',
        rate: { exceeded: false, remaining: 49 },
      });
      // An IPv6 host has a network to call from; it counts as one.
      const network = Array.from({ length: 20 }, (_, index) => check('', `2001:db8:7:7::${index}`));
      const states = await authorize(identity.stub, network);
      expect(states.filter((result) => !result.rate?.exceeded)).toHaveLength(12);
      expect((await authorizeOne(identity.stub, check('', '203.0.113.51'))).rate).toMatchObject({
        limit: 12,
        remaining: 11,
      });
    });

    test('a revoked key is metered under its own id', async () => {
      await startOfMinute(10);
      const key = await makeKey(identity.stub, identity.member.owner);
      await identity.stub.revokeApiKey(identity.member.owner, { key_id: key.id });
      const address = '203.0.113.60';
      const results = await authorize(
        identity.stub,
        Array.from({ length: 55 }, () => check(key.secret, address)),
      );
      expect(results.filter((result) => !result.rate?.exceeded)).toHaveLength(50);
      expect((await authorizeOne(identity.stub, check('', address))).rate?.remaining).toBe(11);
    });

    test('a token that ended does not use up what its user has', async () => {
      await startOfMinute(10);
      const { tokens } = await login(identity.stub, identity.member.owner_email, PASSWORD);
      const stale = tokens?.access_token ?? '';
      await identity.sql(
        'UPDATE access_tokens SET revoked_at = now() WHERE token_hash = sha256($1::bytea)',
        [stale],
      );
      const before = await authorizeOne(
        identity.stub,
        check(identity.member.signed_in.tokens?.access_token ?? ''),
      );
      await authorize(
        identity.stub,
        Array.from({ length: 60 }, () => check(stale)),
      );
      const after = await authorizeOne(
        identity.stub,
        check(identity.member.signed_in.tokens?.access_token ?? ''),
      );
      expect(after.rate?.remaining).toBe((before.rate?.remaining ?? 0) - 1);
    });

    test('a public write counts by address and operation, whatever credential comes along', async () => {
      await startOfMinute(10);
      const key = await makeKey(identity.stub, identity.member.owner);
      const write = (operation: string, address: string, secret = '') => ({
        ...check(secret, address),
        limit_class: LimitClass.PUBLIC_WRITE,
        operation,
      });
      const results = await authorize(identity.stub, [
        ...Array.from({ length: 4 }, () => write('openDispute', '203.0.113.70')),
        ...Array.from({ length: 4 }, () => write('openDispute', '203.0.113.70', key.secret)),
        write('submitContactRequest', '203.0.113.70'),
        write('openDispute', '203.0.113.71'),
      ]);
      expect(results.map((result) => result.rate?.exceeded)).toEqual([
        ...Array(5).fill(false),
        ...Array(3).fill(true),
        false,
        false,
      ]);
      expect(results[0]?.rate).toMatchObject({ limit: 5, remaining: 4 });
      expect((await authorizeOne(identity.stub, check(key.secret))).rate?.remaining).toBe(49);
    });

    test('many batches with the same keys in any order never deadlock', async () => {
      const other = await identity.replica();
      const keys = await Promise.all(
        Array.from({ length: 12 }, () => makeKey(identity.stub, identity.member.owner)),
      );
      const batches = Array.from({ length: 40 }, (_, index) => {
        const shuffled = keys.toSorted(() => Math.random() - 0.5);
        return authorize(
          index % 2 === 0 ? identity.stub : other,
          shuffled.map((key) => check(key.secret)),
        );
      });
      const results = (await Promise.all(batches)).flat();
      expect(results).toHaveLength(480);
      expect(results.every((result) => result.state === 'VALID')).toBe(true);
    });

    test('last_used_at moves with a successful authentication only', async () => {
      const key = await makeKey(identity.stub, identity.member.owner);
      const lastUsed = async () =>
        (await identity.stub.listApiKeys(identity.member.owner, { limit: 100 })).api_keys.find(
          (listed) => listed.id === key.id,
        )?.last_used_at;
      expect(await lastUsed()).toBeUndefined();
      await authorizeOne(identity.stub, check(key.secret));
      // Where counters are kept elsewhere, it is noted some time later.
      await eventually(async () => expect(await lastUsed()).toBeDefined());
      const first = await lastUsed();
      expect(Math.abs(Date.parse(first ?? '') - Date.now())).toBeLessThan(60_000);
      await identity.stub.revokeApiKey(identity.member.owner, { key_id: key.id });
      await authorizeOne(identity.stub, check(key.secret));
      expect(await lastUsed()).toBe(first);
    });
  });

  describe('how much keys have together', () => {
    const identity = useIdentity(
      settingsOf({
        RATE_LIMIT_PER_MINUTE: '10',
        RATE_LIMIT_PER_DAY: '1000',
        RATE_LIMIT_INSTITUTION_FACTOR: '2',
      }),
    );
    const counters = () => countersOf(identity);

    const keysOf = async (owner: Parameters<typeof makeKey>[1], count: number) => {
      const secrets: string[] = [];
      for (let made = 0; made < count; made += 1) {
        secrets.push((await makeKey(identity.stub, owner)).secret);
      }
      return secrets;
    };

    test('many keys have the limits of so many, whichever way they are used, and at once', async () => {
      const { owner } = await makeMember(identity.stub, identity.admin);
      const secrets = await keysOf(owner, 4);
      await startOfMinute(20);
      const results = await Promise.all(
        // Batches that wait for each other's rows, each with all keys in another order.
        Array.from({ length: 10 }, (_unused, at) =>
          authorize(
            identity.stub,
            [0, 1, 2, 3].map((key) => check(secrets[(key + at) % 4] ?? '')),
          ),
        ),
      );
      const passed = results.flat().filter(({ rate }) => rate?.exceeded === false);
      expect(passed).toHaveLength(20);
      const refused = await authorizeOne(identity.stub, check(secrets[0] ?? ''));
      expect(refused.rate).toMatchObject({ limit: 20, remaining: 0, exceeded: true });
    });

    test('a new key in the place of a used one brings no new budget', async () => {
      const { owner } = await makeMember(identity.stub, identity.admin);
      await startOfMinute(20);
      const granted: number[] = [];
      for (const secret of await keysOf(owner, 3)) {
        const [result] = await authorize(identity.stub, [{ ...check(secret), count: 10 }]);
        granted.push(result?.granted ?? 0);
      }
      expect(granted).toEqual([10, 10, 0]);
    });

    test('a key on its own limit takes nothing of the others, and other institutions notice nothing', async () => {
      const { owner } = await makeMember(identity.stub, identity.admin);
      const other = await makeMember(identity.stub, identity.admin);
      const [busy = '', calm = ''] = await keysOf(owner, 2);
      const [stranger = ''] = await keysOf(other.owner, 1);
      await startOfMinute(20);
      for (let round = 0; round < 5; round += 1) {
        await authorize(identity.stub, [{ ...check(busy), count: 10 }]);
      }
      const results = await authorize(identity.stub, [
        { ...check(calm), count: 10 },
        check(busy),
        check(stranger),
      ]);
      expect(results.map(({ granted }) => granted)).toEqual([10, 0, 1]);
      expect(results[1]?.rate).toMatchObject({ limit: 10, exceeded: true });
      expect(results[2]?.rate).toMatchObject({ limit: 10, remaining: 9 });
    });

    test('what the institution is refused does not eat a day of its keys', async () => {
      const { owner } = await makeMember(identity.stub, identity.admin);
      const [first = '', second = '', third = ''] = await keysOf(owner, 3);
      await startOfMinute(20);
      for (const secret of [first, second]) {
        await authorize(identity.stub, [{ ...check(secret), count: 10 }]);
      }
      for (let round = 0; round < 3; round += 1) {
        await authorize(identity.stub, [{ ...check(third), count: 10 }]);
      }
      const [row] = await identity.sql<{ id: string }>(
        'SELECT id FROM api_keys WHERE secret_hash = sha256($1::bytea)',
        [Buffer.from(third)],
      );
      expect(await counters().dayCount(row?.id ?? '')).toBe(0);
    });
  });
});
