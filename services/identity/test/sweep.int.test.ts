import { newApiKey } from '@credit/platform/credentials';
import { sweeping } from '@credit/platform/runtime';
import { testLogger } from '@credit/testing';
import { SWEEPS } from '../src/commands/sweep';
import {
  anonymous,
  authorize,
  authorizeOne,
  check,
  codeOf,
  login,
  makeKey,
  makeMember,
  useIdentity,
} from './support/identity';

const identity = useIdentity();

const sweep = () =>
  sweeping({
    name: 'sweep',
    db: identity.database.db,
    logger: testLogger,
    pause_ms: 1_000,
    sweeps: () => SWEEPS,
  }).once();

const count = async (table: string) => {
  const [row] = await identity.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
  return row?.count;
};

test('counters of past windows go; running ones and those of used keys stay', async () => {
  const { owner } = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, owner);
  const revoked = await makeKey(identity.stub, owner);
  await identity.stub.revokeApiKey(owner, { key_id: revoked.id });
  await authorize(identity.stub, [
    check(key.secret),
    check(revoked.secret),
    check(newApiKey('live'), '203.0.113.1'),
  ]);
  // Two keys', their institution's and an address's.
  expect(await count('rate_counters')).toBe(4);
  await sweep();
  expect(await count('rate_counters')).toBe(4);

  await identity.sql('UPDATE rate_counters SET minute = minute - 2');
  await sweep();
  // The address's minute is over; the days of the revoked key and of the institution are not.
  expect(await count('rate_counters')).toBe(3);
  await identity.sql('UPDATE rate_counters SET day = day - 1');
  await sweep();
  expect(await identity.sql('SELECT id FROM rate_counters')).toEqual([{ id: key.id }]);
});

test('tokens go a day after their end, sessions with their last token, attempts with their window', async () => {
  const member = await makeMember(identity.stub, identity.admin);
  await codeOf(login(identity.stub, 'nobody@nowhere.example', 'a wrong password'));
  const sessions = await count('sessions');
  const session = 'SELECT session_id FROM access_tokens WHERE token_hash = sha256($1::bytea)';
  const token = member.signed_in.tokens?.access_token ?? '';
  const [ended] = await identity.sql<{ session_id: string }>(session, [token]);
  const id = ended?.session_id;
  await identity.sql(
    "UPDATE access_tokens SET expires_at = now() - interval '2 days' WHERE session_id = $1",
    [id],
  );
  await identity.sql("UPDATE sessions SET created_at = now() - interval '3 days' WHERE id = $1", [
    id,
  ]);
  await identity.sql("UPDATE attempts SET window_ends_at = now() - interval '1 s'");
  await sweep();
  expect(await count('attempts')).toBe(0);
  expect((await authorizeOne(identity.stub, check(token))).state).toBe('ABSENT');
  // It can still be refreshed, so it is not over.
  expect(await count('sessions')).toBe(sessions);

  await identity.sql(
    "UPDATE refresh_tokens SET expires_at = now() - interval '2 days' WHERE session_id = $1",
    [id],
  );
  await sweep();
  expect(await count('sessions')).toBe((sessions ?? 0) - 1);
  const refresh_token = member.signed_in.tokens?.refresh_token ?? '';
  expect(await codeOf(identity.stub.refresh(anonymous(), { refresh_token }))).toBe(
    'INVALID_API_KEY',
  );
});
