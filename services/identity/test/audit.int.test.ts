import { startConsumers, startRelay } from '@credit/platform/bus';
import type { CallContext } from '@credit/platform/context';
import { systemContext } from '@credit/platform/context';
import { encodeCursor } from '@credit/platform/db';
import { CheckpointKeys } from '@credit/platform/merkle';
import { newId, systemClock } from '@credit/platform/runtime';
import {
  InstitutionStatus,
  PlatformRole,
  RefusalReason,
  Role,
} from '@credit/proto/identity/v1/identity';
import { testBus, testLogger } from '@credit/testing';
import { recordAuditEvents } from '../src/commands/record-audit-events';
import { identityConsumers } from '../src/consumers';
import { NETWORK_CHAIN_ID } from '../src/domain/audit-chain';
import { verifyAuditChains } from '../src/queries/verify-audit-chain';
import {
  addUser,
  anonymous,
  auditEntry,
  codeOf,
  makeKey,
  makeMember,
  outboxOf,
  SIGNING_KEY,
  useIdentity,
} from './support/identity';

const identity = useIdentity();
const keys = new CheckpointKeys(SIGNING_KEY);
const signing = { checkpoint_keys: keys, clock: systemClock, newId };

const consumer = identityConsumers(signing)[0];
const taken = new Set<string>();

/** Hands over what the bus would: every event of the outbox once. */
async function deliver(): Promise<void> {
  const fresh = (await outboxOf(identity)).filter(
    ({ id, payload }) => payload?.$case === 'audit_recorded' && !taken.has(id),
  );
  for (const { id } of fresh) taken.add(id);
  const entries = fresh.map((event) => ({
    event,
    ctx: systemContext('live', { request_id: event.request_id }),
  }));
  if (entries.length === 0) return;
  const ctx = systemContext('live');
  await identity.database.db.transaction(ctx, async (tx) => {
    await consumer?.run(ctx, entries, tx);
  });
}

const events = async (ctx: CallContext, filter: object = {}) =>
  (await identity.stub.listAuditEvents(ctx, { limit: 100, ...filter })).events;
const verify = (chain_id?: string) =>
  verifyAuditChains(identity.database.db, systemContext('live'), chain_id, {
    verifier: keys.verifier,
  });

test('every mutation is in the log of its institution, with who, what and from where', async () => {
  const other = await makeMember(identity.stub, identity.admin);
  const ctx = { ...identity.member.owner, client_address: '192.0.2.9', request_id: 'req-42' };
  const key = await makeKey(identity.stub, ctx, { scopes: ['credit:read'] });
  await identity.stub.rotateApiKey(ctx, { key_id: key.id });
  await addUser(identity.stub, identity.member, Role.VIEWER);
  await deliver();

  const [created] = await events(identity.member.owner, { action: 'api_key.created' });
  expect(created).toMatchObject({
    actor_type: 'user',
    actor_id: identity.member.owner.actor.id,
    target_type: 'api_key',
    target_id: key.id,
    environment: 'live',
    request_id: 'req-42',
    ip: '192.0.2.9',
  });
  expect(JSON.parse(created?.changes_json ?? '')).toMatchObject({ scopes: ['credit:read'] });
  const actions = (await events(identity.member.owner)).map((event) => event.action);
  for (const action of [
    'institution.created',
    'user.invited',
    'user.joined',
    'user.logged_in',
    'api_key.rotated',
  ]) {
    expect(actions).toContain(action);
  }
  // No secret in it, and nothing of it in anybody else's.
  const text = JSON.stringify(await events(identity.member.owner));
  expect(text).not.toMatch(/svc_(?:live|test|at|rt|inv)_\w{20}/);
  const others = await events(other.owner);
  expect(others.map((event) => event.action)).not.toContain('api_key.created');
  expect(await codeOf(events(identity.admin))).toBe('INSUFFICIENT_SCOPE');
});

test('what is absent is null in the log, letter by letter', async () => {
  const { id } = await identity.stub.submitApplication(anonymous(), {
    institution_name: 'Absent Bank',
    contact_name: 'Bo',
    contact_email: 'bo@absent.example',
  });
  await identity.stub.reviewApplication(identity.admin, { application_id: id, status: 'REJECTED' });
  const { user } = await identity.stub.createUser(identity.admin, {
    email: 'operator@absent.example',
    display_name: 'Bo',
    platform_role: PlatformRole.PLATFORM_ADMIN,
  });
  const key = await makeKey(identity.stub, identity.member.owner, { scopes: ['credit:read'] });
  await deliver();
  const changesOf = async (list: typeof events, ctx: CallContext, target_id: string) =>
    (await list(ctx, { target_id }))[0]?.changes_json;
  const ofNetwork: typeof events = (_ctx, filter) => networkEvents(filter);
  expect(await changesOf(ofNetwork, identity.admin, id)).toBe(
    '{"status":{"from":"PENDING","to":"REJECTED"},"note":null,"institution_id":null}',
  );
  expect(await changesOf(ofNetwork, identity.admin, user?.id ?? '')).toBe(
    '{"email":"operator@absent.example","role":null,"platform_role":"PLATFORM_ADMIN"}',
  );
  expect(await changesOf(events, identity.member.owner, key.id)).toMatch(
    /,"environment":"live","allowed_ips":null,"expires_at":null}$/,
  );
});

test('reaches the log over the bus, once, also when the whole stream is lost and sent again', async () => {
  const { db } = identity.database;
  const other = await makeMember(identity.stub, identity.admin);
  await identity.sql('DELETE FROM audit_events; DELETE FROM audit_chains; DELETE FROM inbox');

  // A bus of its own each time: the second one knows nothing of the first.
  const sendEverything = async () => {
    const [start] = await identity.sql<{ at: string }>('SELECT clock_timestamp()::text AS at');
    const bus = await testBus();
    const on = { db, bus: bus.bus, logger: testLogger };
    const relay = startRelay(on);
    const consumers = startConsumers({ ...on, consumers: identityConsumers(signing) });
    const missing = () =>
      identity.sql(
        `SELECT FROM outbox WHERE type = 'audit_recorded' AND NOT EXISTS (
           SELECT FROM inbox WHERE event_id = outbox.id AND processed_at > $1)`,
        [start?.at],
      );
    const deadline_ms = Date.now() + 20_000;
    while ((await missing()).length > 0 && Date.now() < deadline_ms) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await missing()).toEqual([]);
    await consumers.stop();
    await relay.stop();
    await bus.stop();
  };
  const actions = async () => (await events(other.owner)).map((event) => event.action).toSorted();

  await sendEverything();
  const expected = ['institution.created', 'user.invited', 'user.joined', 'user.logged_in'];
  expect(await actions()).toEqual(expected);
  await sendEverything();
  expect(await actions()).toEqual(expected);
  expect((await verify()).every((report) => report.fault === undefined)).toBe(true);

  for (const { id } of await identity.sql<{ id: string }>('SELECT event_id AS id FROM inbox')) {
    taken.add(id);
  }
});

const networkEvents = async (filter: object = {}) =>
  (await identity.stub.listNetworkAuditEvents(identity.admin, { limit: 100, ...filter })).events;

test('the network has a log of its own: what is no institution’s, and all that administrators did', async () => {
  const other = await makeMember(identity.stub, identity.admin);
  const moved = await addUser(identity.stub, other, Role.VIEWER);
  const user_id = moved.ctx.actor.id;
  await identity.stub.updateUser(identity.admin, {
    user_id,
    institution_id: identity.member.institution_id,
    role: Role.ADMIN,
    platform_role: PlatformRole.PLATFORM_ADMIN,
  });
  await identity.stub.resetPassword(identity.admin, { user_id });
  await identity.stub.revokeSessions(identity.admin, { user_id });
  await identity.stub.updateInstitution(identity.admin, {
    institution_id: other.institution_id,
    publicly_listed: false,
  });
  await deliver();

  // The rights of the platform that a member's user was given are seen where they matter.
  const [granted] = await networkEvents({ target_id: user_id, action: 'user.updated' });
  expect(granted).toMatchObject({ actor_id: identity.admin.actor.id });
  expect(JSON.parse(granted?.changes_json ?? '')).toMatchObject({
    platform_role: { from: null, to: 'PLATFORM_ADMIN' },
  });
  const actionsOn = async (list: typeof networkEvents, target_id: string) =>
    (await list({ target_id })).map((event) => event.action).toReversed();
  expect(await actionsOn(networkEvents, user_id)).toEqual([
    'user.updated',
    'user.password_reset',
    'user.sessions_revoked',
  ]);
  expect(await actionsOn(networkEvents, other.institution_id)).toEqual([
    'institution.created',
    'institution.updated',
  ]);
  // The institutions have their part: who came and who went, and not what was the other's.
  const inOther = (filter: object = {}) => events(other.owner, filter);
  const inMember = (filter: object = {}) => events(identity.member.owner, filter);
  expect(await actionsOn(inOther, user_id)).toEqual(['user.joined', 'user.updated']);
  expect(await actionsOn(inMember, user_id)).toEqual([
    'user.updated',
    'user.password_reset',
    'user.sessions_revoked',
  ]);
  expect(await actionsOn(inOther, other.institution_id)).toContain('institution.updated');

  // What the people of a identity.member did is theirs, and every record of the network's log is nobody's.
  const actions = (await networkEvents()).map((event) => event.action);
  expect(actions).toEqual(expect.arrayContaining(['application.submitted', 'user.logged_in']));
  for (const action of ['user.joined', 'user.invited', 'api_key.created']) {
    expect(actions).not.toContain(action);
  }
  const logins = await networkEvents({ action: 'user.logged_in' });
  expect(new Set(logins.map((event) => event.actor_id))).toEqual(
    new Set([identity.admin.actor.id]),
  );
  const [report] = await verify(NETWORK_CHAIN_ID);
  expect(report).toMatchObject({ fault: undefined });
});

test('what is refused by a rule is not in the log, and what rolled back neither', async () => {
  await deliver();
  const before = (await events(identity.member.owner)).length;
  await codeOf(makeKey(identity.stub, identity.member.owner, { scopes: ['nonsense'] }));
  await codeOf(
    identity.stub.updateUser(identity.admin, {
      user_id: identity.member.owner.actor.id,
      role: Role.VIEWER,
    }),
  );
  await deliver();
  expect(await events(identity.member.owner)).toHaveLength(before);
});

test('a refused call is logged with its reason, once a minute', async () => {
  const key = await makeKey(identity.stub, identity.member.owner);
  const ctx: CallContext = {
    ...identity.member.owner,
    actor: { type: 'api_key', id: key.id },
    client_address: '198.51.100.7',
  };
  for (let round = 0; round < 5; round += 1) {
    await identity.stub.recordRefusal(ctx, {
      reason: RefusalReason.SCOPE,
      operation: 'createAccount',
    });
  }
  await identity.stub.recordRefusal(ctx, {
    reason: RefusalReason.ADDRESS,
    operation: 'createAccount',
  });
  await deliver();
  const refused = await events(identity.member.owner, { action: 'call.refused', actor_id: key.id });
  expect(refused.map((event) => JSON.parse(event.changes_json).reason)).toEqual([
    'ADDRESS',
    'SCOPE',
  ]);
  expect(refused[0]).toMatchObject({ target_id: 'createAccount', ip: '198.51.100.7' });
});

test('is listed newest first, page by page, filtered by time, actor, target and action', async () => {
  await deliver();
  const all = await events(identity.member.owner);
  expect(all.map((event) => event.at)).toEqual(
    all
      .map((event) => event.at)
      .toSorted()
      .reverse(),
  );
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await identity.stub.listAuditEvents(identity.member.owner, { limit: 3, cursor });
    seen.push(...page.events.map((event) => event.id));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(all.map((event) => event.id));

  const middle = all[Math.floor(all.length / 2)];
  if (middle?.at === undefined) throw new Error('no events');
  const later = await events(identity.member.owner, { from: middle.at });
  const earlier = await events(identity.member.owner, { to: middle.at });
  expect(later.length + earlier.length).toBe(all.length);
  expect(later.every((event) => (event.at ?? '') >= (middle.at ?? ''))).toBe(true);
  const target = await events(identity.member.owner, { target_id: middle.target_id });
  expect(target.every((event) => event.target_id === middle.target_id)).toBe(true);
});

test.each([
  'yesterday',
  '2026-02-30',
  '2026-02-30T00:00:00.000Z',
  '0000-01-01T00:00:00.000Z',
  '\0',
])('a cursor of "%s" is none of its listing', async (at) => {
  const cursor = encodeCursor([at, '0198a1c2-0000-7000-8000-000000000000']);
  const page = identity.stub.listAuditEvents(identity.member.owner, { limit: 3, cursor });
  expect(await codeOf(page)).toBe('VALIDATION_ERROR');
});

test('chains stay whole when many append to them at once', async () => {
  const chains = [newId(), newId(), newId()];
  const { db } = identity.database;
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      db.transaction(systemContext(index % 2 === 0 ? 'live' : 'test'), (tx) =>
        recordAuditEvents(
          tx,
          chains
            .toSorted(() => Math.random() - 0.5)
            .flatMap((chain) => [auditEntry(chain, `a${index}`), auditEntry(chain, `b${index}`)]),
        ),
      ),
    ),
  );
  for (const chain of chains) {
    const [report] = await verify(chain);
    expect(report).toMatchObject({ verified: 60n, fault: undefined });
  }
});

test.each(['account_ids', 'subject_ids'])(
  'what a batch names in its %s is found in its entry too',
  async (name) => {
    const chain_id = identity.member.institution_id;
    const [wanted, other] = [newId(), newId()];
    const batch = (id: string, ids: string[]) => ({
      ...auditEntry(chain_id, id),
      target_type: 'batch',
      target_id: `request-${id}`,
      changes: JSON.stringify({ count: ids.length, [name]: ids }),
    });
    const entries = [
      batch('first', [other, wanted]),
      batch('second', [other]),
      { ...auditEntry(chain_id, 'alone'), target_id: wanted },
      // Named elsewhere it is no target.
      { ...auditEntry(chain_id, 'named'), changes: JSON.stringify({ [name]: [wanted] }) },
      { ...batch('neighbour', [wanted]), chain_id: newId() },
    ];
    await identity.database.db.transaction(systemContext('live'), (tx) =>
      recordAuditEvents(tx, entries),
    );
    const found = await events(identity.member.owner, { target_id: wanted });
    expect(found.map(({ target_id }) => target_id).toSorted()).toEqual(
      [wanted, 'request-first'].toSorted(),
    );
    expect(await events(identity.member.owner, { target_id: newId() })).toEqual([]);
  },
);

describe('tampering', () => {
  test.each([
    ['a changed field', "UPDATE audit_events SET actor_id = 'eve' WHERE %", 'altered', 3n],
    ['a changed time', "UPDATE audit_events SET at = at + interval '1 ms' WHERE %", 'altered', 3n],
    [
      'reordered changes',
      `UPDATE audit_events SET changes = '{"a":"ä","z":1}' WHERE %`,
      'altered',
      3n,
    ],
    ['a deleted record', 'DELETE FROM audit_events WHERE %', 'missing', 3n],
    ['a replaced hash', "UPDATE audit_events SET hash = sha256('x') WHERE %", 'altered', 3n],
    ['a cut end', 'DELETE FROM audit_events WHERE chain_id = $1 AND sequence > 3', 'cut off', 4n],
  ] as const)('%s is found, and other chains are whole', async (_name, text, problem, sequence) => {
    const chain = newId();
    const neighbour = newId();
    await identity.database.db.transaction(systemContext('live'), (tx) =>
      recordAuditEvents(
        tx,
        ['1', '2', '3', '4', '5'].flatMap((id) => [
          auditEntry(chain, id),
          auditEntry(neighbour, id),
        ]),
      ),
    );
    await identity.sql(text.replace('%', 'chain_id = $1 AND sequence = 3'), [chain]);
    expect((await verify(chain))[0]?.fault).toEqual({ sequence, problem });
    expect((await verify(neighbour))[0]?.fault).toBeUndefined();
  });
});

test('an entry is written once, though it be forgotten that it was taken in', async () => {
  const chain = newId();
  const entries = [auditEntry(chain, '1'), auditEntry(chain, '2')];
  const record = (...given: typeof entries) =>
    identity.database.db.transaction(systemContext('live'), (tx) => recordAuditEvents(tx, given));
  await record(...entries);
  await record(...entries);
  // New ones beside them take the next places.
  await record(...entries.toReversed(), auditEntry(chain, '3'));
  const rows = await identity.sql<{ target_id: string }>(
    'SELECT target_id FROM audit_events WHERE chain_id = $1 ORDER BY sequence',
    [chain],
  );
  expect(rows.map(({ target_id }) => target_id)).toEqual(['1', '2', '3']);
  expect((await verify(chain))[0]).toMatchObject({ verified: 3n, fault: undefined });
});

test('the log of an institution holds its suspension, told by the administrator who did it', async () => {
  const other = await makeMember(identity.stub, identity.admin);
  await identity.stub.updateInstitution(identity.admin, {
    institution_id: other.institution_id,
    status: InstitutionStatus.SUSPENDED,
    reason: 'late fees',
  });
  await deliver();
  const [suspended] = await events(other.owner, { action: 'institution.suspended' });
  expect(suspended).toMatchObject({ actor_id: identity.admin.actor.id });
  expect(JSON.parse(suspended?.changes_json ?? '')).toEqual({
    status: { from: 'ACTIVE', to: 'SUSPENDED' },
    reason: 'late fees',
  });
});

test('entries name who acted and on what, an institution’s log its own alone', async () => {
  const member = await makeMember(identity.stub, identity.admin);
  const key = await makeKey(identity.stub, member.owner, { display_name: 'night ledger' });
  const { invitation } = await identity.stub.createInvitation(member.owner, {
    email: 'named@lighthouse.example',
    role: Role.VIEWER,
  });
  await identity.stub.updateInstitution(identity.admin, {
    institution_id: member.institution_id,
    publicly_listed: false,
  });
  await deliver();
  const own = await events(member.owner);
  const of = (target_id: string | undefined) => own.find((entry) => entry.target_id === target_id);
  expect(of(key.id)).toMatchObject({ actor_name: 'Ada Keeper', target_name: 'night ledger' });
  expect(of(invitation?.id)?.target_name).toBe('named@lighthouse.example');
  const listing = of(member.institution_id);
  expect(listing).toMatchObject({
    action: 'institution.updated',
    actor_id: identity.admin.actor.id,
  });
  expect(listing?.target_name).toMatch(/^Lighthouse/);
  // Who runs the network is an id there, and a name in the network's own log.
  expect(listing?.actor_name).toBeUndefined();
  const { events: network } = await identity.stub.listNetworkAuditEvents(identity.admin, {
    target_id: member.institution_id,
    limit: 10,
  });
  expect(network[0]).toMatchObject({ actor_name: 'Superadmin' });
});
