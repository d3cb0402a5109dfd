import {
  authorize,
  authorizeOne,
  check,
  makeKey,
  makeMember,
  startOfMinute,
  useIdentity,
} from './support/identity';

const identity = useIdentity({
  RATE_LIMIT_PER_MINUTE: '10',
  RATE_LIMIT_PER_DAY: '1000',
  RATE_LIMIT_INSTITUTION_FACTOR: '2',
});

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
  const rows = await identity.sql<{ day_count: number }>(
    `SELECT c.day_count FROM rate_counters c JOIN api_keys k ON k.id = c.id
     WHERE k.secret_hash = sha256($1::bytea)`,
    [Buffer.from(third)],
  );
  expect(rows).toEqual([{ day_count: 0 }]);
});

test('an institution has at most 100 active keys in an environment, made one by one or at once', async () => {
  const { owner } = await makeMember(identity.stub, identity.admin);
  const make = (environment: 'live' | 'test') => makeKey(identity.stub, owner, { environment });
  for (let made = 0; made < 96; made += 1) await make('live');
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => make('live')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  await expect(make('live')).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  expect((await make('test')).secret).toMatch(/^svc_test_/);
}, 60_000);
