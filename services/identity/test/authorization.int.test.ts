import { isDeepStrictEqual } from 'node:util';
import { newAccessToken, newApiKey } from '@credit/platform/credentials';
import { InstitutionStatus } from '@credit/proto/identity/v1/identity';
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
  useIdentity,
} from './support/identity';

const identity = useIdentity({ RATE_LIMIT_PER_MINUTE: '50' });

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
  // While somebody reads the whole table, as an analysis does, its old versions are kept: then once more.
  const places: unknown[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await place();
    for (let round = 0; round < 400; round += 1) {
      await authorizeOne(identity.stub, check(key.secret));
    }
    const after = await place();
    if (isDeepStrictEqual(after, before)) return;
    places.push([before, after]);
  }
  throw new Error(`It moved each time: ${JSON.stringify(places)}`);
}, 60_000);

test('users of the platform hold no keys', async () => {
  expect(await codeOf(makeKey(identity.stub, identity.admin))).toBe('INSUFFICIENT_SCOPE');
  const signed_in = await login(identity.stub, identity.member.owner_email, PASSWORD);
  expect(await codeOf(makeKey(identity.stub, asUser(signed_in)))).toBe('OK');
});
