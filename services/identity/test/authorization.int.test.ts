import { newAccessToken, newApiKey } from '@credit/platform/credentials';
import { InstitutionStatus, LimitClass } from '@credit/proto/identity/v1/identity';
import {
  asUser,
  authorize,
  authorizeOne,
  check,
  codeOf,
  login,
  makeKey,
  makeMember,
  PASSWORD,
  startOfMinute,
  useIdentity,
} from './support/identity';

const identity = useIdentity({
  RATE_LIMIT_PER_MINUTE: '50',
  RATE_LIMIT_PER_DAY: '120',
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '12',
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '5',
});

describe('who a credential is', () => {
  test('a key speaks for its institution, with its scopes and environment', async () => {
    const key = await makeKey(identity.stub, identity.member.owner, {
      scopes: ['events:write', 'credit:read'],
      environment: 'test',
    });
    expect(await authorizeOne(identity.stub, check(key.secret))).toMatchObject({
      state: 'VALID',
      address_allowed: true,
      principal: {
        is_api_key: true,
        id: key.id,
        institution_id: identity.member.institution_id,
        institution_status: InstitutionStatus.ACTIVE,
        environment: 'test',
        scopes: ['credit:read', 'events:write'],
        permissions: [],
        must_change_password: false,
      },
      rate: { limit: 50, remaining: 49, exceeded: false },
    });
  });

  test('an access token speaks for its user, on live', async () => {
    const token = identity.member.signed_in.tokens?.access_token ?? '';
    const result = await authorizeOne(identity.stub, check(token));
    expect(result).toMatchObject({
      state: 'VALID',
      address_allowed: true,
      principal: {
        is_api_key: false,
        id: identity.member.owner.actor.id,
        institution_id: identity.member.institution_id,
        environment: 'live',
        scopes: [],
        role: 'OWNER',
        platform_role: 'UNSPECIFIED',
      },
    });
    expect(result.principal?.permissions).toContain('audit.read');
  });

  test('a platform user has no institution', async () => {
    const token = (await login(identity.stub, 'root@network.example', 'nine quiet harbour lamps'))
      .tokens?.access_token;
    expect((await authorizeOne(identity.stub, check(token ?? ''))).principal).toMatchObject({
      institution_id: '',
      institution_status: InstitutionStatus.UNSPECIFIED,
      role: 'UNSPECIFIED',
      platform_role: 'SVC_SUPERADMIN',
    });
  });

  test('what is unknown, malformed or of the other kind is absent', async () => {
    const key = await makeKey(identity.stub, identity.member.owner);
    const token = identity.member.signed_in.tokens?.access_token ?? '';
    const results = await authorize(identity.stub, [
      check('', '198.51.100.1'),
      check(newApiKey('live'), '198.51.100.1'),
      check(newAccessToken(), '198.51.100.1'),
      { ...check(key.secret, '198.51.100.1'), is_api_key: false },
      { ...check(token, '198.51.100.1'), is_api_key: true },
      { ...check(key.secret, '198.51.100.1'), credential_hash: Buffer.from('short') },
    ]);
    for (const result of results) {
      expect(result.state).toBe('ABSENT');
      expect(result.principal).toBeUndefined();
    }
  });

  test('an empty batch is an empty answer', async () => {
    expect(await authorize(identity.stub, [])).toEqual([]);
  });
});

describe('when a credential ends', () => {
  test('a revoked key is refused by the very next check, on every replica, 50 times of 50', async () => {
    const other = await identity.replica();
    for (let round = 0; round < 50; round += 1) {
      const key = await makeKey(identity.stub, identity.member.owner);
      expect((await authorizeOne(other, check(key.secret))).state).toBe('VALID');
      await identity.stub.revokeApiKey(identity.member.owner, { key_id: key.id });
      const [first, second] = await Promise.all([
        authorizeOne(identity.stub, check(key.secret)),
        authorizeOne(other, check(key.secret)),
      ]);
      expect([first.state, second.state]).toEqual(['REVOKED', 'REVOKED']);
      expect(first.principal).toBeUndefined();
    }
  });

  test('a key expires by the clock of the database', async () => {
    const key = await makeKey(identity.stub, identity.member.owner, {
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    });
    const neighbour = await makeKey(identity.stub, identity.member.owner);
    expect((await authorizeOne(identity.stub, check(key.secret))).state).toBe('VALID');
    await identity.sql('UPDATE api_keys SET expires_at = now() WHERE id = $1', [key.id]);
    const results = await authorize(identity.stub, [check(key.secret), check(neighbour.secret)]);
    expect(results.map((result) => result.state)).toEqual(['EXPIRED', 'VALID']);
  });

  test('an access token expires', async () => {
    const tokens = (await login(identity.stub, identity.member.owner_email, PASSWORD)).tokens;
    await identity.sql(
      `UPDATE access_tokens SET expires_at = now() WHERE token_hash = sha256($1::bytea)`,
      [tokens?.access_token],
    );
    expect((await authorizeOne(identity.stub, check(tokens?.access_token ?? ''))).state).toBe(
      'EXPIRED',
    );
  });

  test('suspension and its end show at once on keys and tokens, and on nobody else', async () => {
    const suspended = await makeMember(identity.stub, identity.admin);
    const key = await makeKey(identity.stub, suspended.owner);
    const neighbour = await makeKey(identity.stub, identity.member.owner);
    const checks = [
      check(key.secret),
      check(suspended.signed_in.tokens?.access_token ?? ''),
      check(neighbour.secret),
    ];
    const statuses = async () =>
      (await authorize(identity.stub, checks)).map(
        (result) => result.principal?.institution_status,
      );

    await identity.stub.updateInstitution(identity.admin, {
      institution_id: suspended.institution_id,
      status: InstitutionStatus.SUSPENDED,
      reason: 'late fees',
    });
    expect(await statuses()).toEqual([
      InstitutionStatus.SUSPENDED,
      InstitutionStatus.SUSPENDED,
      InstitutionStatus.ACTIVE,
    ]);
    await identity.stub.updateInstitution(identity.admin, {
      institution_id: suspended.institution_id,
      status: InstitutionStatus.ACTIVE,
      reason: 'paid',
    });
    expect(await statuses()).toEqual([
      InstitutionStatus.ACTIVE,
      InstitutionStatus.ACTIVE,
      InstitutionStatus.ACTIVE,
    ]);
  });
});

describe('from where a key may be used', () => {
  test('only from its networks, mapped addresses included', async () => {
    const key = await makeKey(identity.stub, identity.member.owner, {
      allowed_ips: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::ffff:198.51.100.0/120'],
    });
    const allowed = async (address: string) =>
      (await authorizeOne(identity.stub, check(key.secret, address))).address_allowed;
    for (const address of [
      '10.255.0.1',
      '::ffff:10.0.0.1',
      '192.0.2.7',
      '2001:db8:ffff::1',
      '198.51.100.200',
    ]) {
      expect([address, await allowed(address)]).toEqual([address, true]);
    }
    for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::1', '198.51.101.1']) {
      expect([address, await allowed(address)]).toEqual([address, false]);
    }
    // Unknown is not allowed, and does not spoil the batch for others.
    const results = await authorize(identity.stub, [
      check(key.secret, ''),
      check(key.secret, '10.0.0.1, 1.2.3.4'),
      check(key.secret, '10.0.0.1'),
    ]);
    expect(results.map((result) => result.address_allowed)).toEqual([false, false, true]);
    expect(results.map((result) => result.state)).toEqual(Array(3).fill('VALID'));
  });

  test('a key without networks may be used from anywhere, even from an unknown address', async () => {
    const key = await makeKey(identity.stub, identity.member.owner);
    const results = await authorize(identity.stub, [
      check(key.secret, '203.0.113.9'),
      check(key.secret, ''),
    ]);
    expect(results.map((result) => result.address_allowed)).toEqual([true, true]);
  });
});

describe('how much', () => {
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
    expect(results.map(({ granted, rate }) => [granted, rate?.remaining, rate?.exceeded])).toEqual([
      [20, 49, false],
      // None named is one.
      [1, 29, false],
      [29, 28, false],
      [0, 0, true],
    ]);
    // What was refused has used nothing up, and everything is used up.
    const [after] = await authorize(identity.stub, [several(3)]);
    expect(after).toMatchObject({ granted: 0, rate: { remaining: 0, exceeded: true } });
    const [row] = await identity.sql<{ day_count: number }>(
      'SELECT day_count FROM rate_counters WHERE id = $1',
      [key.id],
    );
    expect(row?.day_count).toBe(50);
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
    const nextMinute = () =>
      identity.sql('UPDATE rate_counters SET minute = minute - 1 WHERE id = $1', [key.id]);
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

    await identity.sql('UPDATE rate_counters SET day = day - 1 WHERE id = $1', [key.id]);
    expect(await passed()).toBe(50);
  });

  test('a row that a later statement moved on is not moved back', async () => {
    await startOfMinute(10);
    const key = await makeKey(identity.stub, identity.member.owner);
    await authorizeOne(identity.stub, check(key.secret));
    await identity.sql(
      'UPDATE rate_counters SET minute = minute + 1, minute_count = 49 WHERE id = $1',
      [key.id],
    );
    const results = await authorize(identity.stub, [check(key.secret), check(key.secret)]);
    expect(results.map((result) => result.rate?.exceeded)).toEqual([false, true]);
    // Further ahead it is the trace of a clock that was set back.
    await identity.sql('UPDATE rate_counters SET minute = minute + 100 WHERE id = $1', [key.id]);
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
});

test('last_used_at moves with a successful authentication only', async () => {
  const key = await makeKey(identity.stub, identity.member.owner);
  const lastUsed = async () =>
    (await identity.stub.listApiKeys(identity.member.owner, { limit: 100 })).api_keys.find(
      (listed) => listed.id === key.id,
    )?.last_used_at;
  expect(await lastUsed()).toBeUndefined();
  await authorizeOne(identity.stub, check(key.secret));
  const first = await lastUsed();
  expect(Math.abs(Date.parse(first ?? '') - Date.now())).toBeLessThan(60_000);
  await identity.stub.revokeApiKey(identity.member.owner, { key_id: key.id });
  await authorizeOne(identity.stub, check(key.secret));
  expect(await lastUsed()).toBe(first);
});

test('a counter is rewritten in place: its row stays on its page, the table does not grow', async () => {
  const key = await makeKey(identity.stub, identity.member.owner);
  const place = async () => {
    const [row] = await identity.sql<{ page: string; pages: number }>(
      `SELECT (ctid::text::point)[0]::int AS page,
         (pg_relation_size('rate_counters') / 8192)::int AS pages
       FROM rate_counters WHERE id = $1`,
      [key.id],
    );
    return row;
  };
  await authorizeOne(identity.stub, check(key.secret));
  const before = await place();
  for (let round = 0; round < 400; round += 1) {
    await authorizeOne(identity.stub, check(key.secret));
  }
  expect(await place()).toEqual(before);
});

test('users of the platform hold no keys', async () => {
  expect(await codeOf(makeKey(identity.stub, identity.admin))).toBe('INSUFFICIENT_SCOPE');
  const signed_in = await login(identity.stub, identity.member.owner_email, PASSWORD);
  expect(await codeOf(makeKey(identity.stub, asUser(signed_in)))).toBe('OK');
});
