import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Access, choosesEnvironment, isOpenTo, type Operation } from '@credit/contract';
import {
  type Answer,
  type Client,
  enrol,
  type Json,
  logIn,
  type Member,
} from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import type { Environment } from '@credit/platform/context';
import { type Permission, SCOPES, type Scope } from '@credit/platform/values';
import { declared, faultsOf, pathOf, queryOf } from '../support/api';
import { company } from '../support/company';
import { eventually } from '../support/eventually';
import { letIn } from '../support/person';
import { runSql } from '../support/postgres';

// Every operation with every kind of credential, against the running system. What is expected
// follows from the declarations alone, so a new operation is covered on the day it is declared.

const PROXY = '127.0.0.1';
const ALLOWED_NETWORK = '203.0.113.0/24';
const INSIDE = '203.0.113.9';
const OUTSIDE = '198.51.100.7';

/** Nothing here is about limits: they are far away. */
const SETTINGS = {
  TRUSTED_PROXIES: PROXY,
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_PER_DAY: '10000000',
  RATE_LIMIT_PERSON_PER_MINUTE: '1000000',
  RATE_LIMIT_PERSON_PER_DAY: '10000000',
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000',
  RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: '1000000',
};

type Verdict = 'reached' | 401 | 403;

interface Caller {
  readonly token?: string;
  /** X-Forwarded-For, as the proxy in front sends it. */
  readonly from?: string;
  /** Of a key: the only data that it acts on. */
  readonly acts_on?: Environment;
  /** What becomes of a call of an operation that is not public. */
  readonly verdict: (access: Access, environment: Environment) => Verdict;
}

jest.setTimeout(30_000);

let system: System;
let anonymous: Client;
let administrator: Client;
let lender: Member;
let other: Member;
const callers = new Map<string, Caller>();

// --- What the rules say ---

const ALL_PERMISSIONS: Permission[] = [
  'api_keys.create',
  'api_keys.read',
  'api_keys.revoke',
  'institution.users.manage',
  'audit.read',
  'credit.read',
  'records.read',
  'records.write',
  'reports.request',
  'webhooks.manage',
  'disputes.respond',
  'institution.read',
];

/** What a user may do: on all data, on test data alone, and on the platform. */
interface Rights {
  readonly permissions?: readonly Permission[];
  readonly test_permissions?: readonly Permission[];
  readonly platform_roles?: readonly string[];
}

const RIGHTS_OF: Readonly<Record<string, Rights>> = {
  OWNER: { permissions: ALL_PERMISSIONS },
  ADMIN: { permissions: ALL_PERMISSIONS },
  COMPLIANCE: {
    permissions: [
      'records.read',
      'credit.read',
      'disputes.respond',
      'audit.read',
      'institution.read',
    ],
  },
  LOAN_OFFICER: { permissions: ['credit.read', 'reports.request', 'institution.read'] },
  DEVELOPER: {
    permissions: ['api_keys.read', 'webhooks.manage', 'institution.read'],
    test_permissions: ['records.read', 'records.write', 'credit.read'],
  },
  VIEWER: { permissions: ['institution.read'] },
};

const always = (verdict: 401 | 403) => () => verdict;

const keyWith =
  (scopes: readonly Scope[], environment = 'live') =>
  (access: Access) =>
    access.kind === 'any' ||
    (access.kind === 'scope' &&
      scopes.includes(access.scope) &&
      (access.environment ?? environment) === environment)
      ? 'reached'
      : 403;

const userWith =
  ({ permissions = [], test_permissions = [], platform_roles = [] }: Rights) =>
  (access: Access, environment: Environment) => {
    const may = (permission: Permission) =>
      permissions.includes(permission) ||
      (environment === 'test' && test_permissions.includes(permission));
    const allowed =
      access.kind === 'any' ||
      (access.kind === 'user' && (access.permission === undefined || may(access.permission))) ||
      (access.kind === 'scope' &&
        may(access.permission) &&
        (access.environment ?? environment) === environment) ||
      (access.kind === 'platform' && platform_roles.includes(access.role));
    return allowed ? 'reached' : 403;
  };

const mustChangePassword = (access: Access) => (isOpenTo(access, 'password') ? 'reached' : 403);

const atOwnFile = (access: Access) => (access.kind === 'person' ? 'reached' : 403);

// --- Who calls ---

const PASSWORD = 'six green garden gates';

/** Another user of a member's institution. */
async function join(member: Member, role: string): Promise<{ client: Client; id: string }> {
  const email = `${role.toLowerCase()}-${randomUUID()}@member.example`;
  const invitation = await member.owner.create('/institutions/users/invitations', { email, role });
  const joined = await anonymous.create('/auth/accept-invitation', {
    token: invitation.token,
    display_name: role,
    password: PASSWORD,
  });
  return { client: await logIn(anonymous, email, PASSWORD), id: joined.id };
}

/** As the superadmin is told of a user that was made. */
function appointed(access: Json): Promise<Json> {
  return administrator.create('/admin/users', {
    email: `appointed-${randomUUID()}@network.example`,
    display_name: 'Appointed',
    ...access,
  });
}

/** A user whom the superadmin made, still with the temporary password. */
async function appoint(access: Json): Promise<Client> {
  const made = await appointed(access);
  const { email } = made.user;
  return logIn(anonymous, email, made.temporary_password).then(async (client) => {
    if (access.platform_role !== undefined) {
      await client.expect(204, 'POST', '/auth/change-password', {
        body: { current_password: made.temporary_password, new_password: PASSWORD },
      });
    }
    return client;
  });
}

async function keyOf(member: Member, change: Json = {}): Promise<Json> {
  return member.owner.create('/api-keys', {
    display_name: 'matrix',
    scopes: SCOPES,
    environment: 'live',
    ...change,
  });
}

async function prepareKeys(): Promise<void> {
  for (const scope of SCOPES) {
    const { secret } = await keyOf(lender, { scopes: [scope] });
    callers.set(`a key with ${scope}`, { token: secret, verdict: keyWith([scope]) });
  }
  for (const environment of ['live', 'test'] as const) {
    const { secret } = await keyOf(lender, { environment });
    callers.set(`a ${environment} key with all scopes`, {
      token: secret,
      acts_on: environment,
      verdict: keyWith(SCOPES, environment),
    });
  }
  const expires_at_ms = Date.now() + 1_500;
  const expiring = await keyOf(lender, { expires_at: new Date(expires_at_ms).toISOString() });
  callers.set('an expired key', { token: expiring.secret, verdict: always(401) });

  const revoked = await keyOf(lender);
  await lender.owner.expect(204, 'DELETE', `/api-keys/${revoked.id}`);
  callers.set('a revoked key', { token: revoked.secret, verdict: always(401) });

  const rotated = await keyOf(lender);
  const replacement = await lender.owner.create(`/api-keys/${rotated.id}/rotate`, undefined);
  callers.set('a rotated key', { token: rotated.secret, verdict: always(401) });
  callers.set('its replacement', { token: replacement.secret, verdict: keyWith(SCOPES) });

  const { secret: bound } = await keyOf(lender, { allowed_ips: [ALLOWED_NETWORK] });
  const from = (address: string | undefined, verdict: Caller['verdict']): Caller => ({
    token: bound,
    from: address,
    verdict,
  });
  callers.set('a key from its network', from(INSIDE, keyWith(SCOPES)));
  callers.set('a key from its network, mapped', from(`::ffff:${INSIDE}`, keyWith(SCOPES)));
  callers.set('a key from elsewhere', from(OUTSIDE, always(403)));
  callers.set('a key that claims its network', from(`${INSIDE}, ${OUTSIDE}`, always(403)));
  callers.set('a key from nowhere', from('unknown', always(403)));
  callers.set('a key from the proxy itself', from(undefined, always(403)));
  await new Promise((resolve) => setTimeout(resolve, expires_at_ms + 300 - Date.now()));
}

async function prepareUsers(): Promise<void> {
  for (const [role, rights] of Object.entries(RIGHTS_OF)) {
    const { client } = await join(lender, role);
    callers.set(`a user who is ${role}`, { token: client.token, verdict: userWith(rights) });
  }
  const disabled = await join(lender, 'ADMIN');
  await administrator.expect(200, 'PATCH', `/admin/users/${disabled.id}`, {
    body: { status: 'DISABLED' },
  });
  callers.set('a disabled user', { token: disabled.client.token, verdict: always(401) });

  const ended = await join(lender, 'ADMIN');
  await administrator.expect(200, 'POST', `/admin/users/${ended.id}/revoke-sessions`);
  callers.set('a user whose sessions were revoked', {
    token: ended.client.token,
    verdict: always(401),
  });

  const expired = await join(lender, 'ADMIN');
  await runSql(
    system,
    `UPDATE identity.access_tokens SET expires_at = now() - interval '1 second'
     WHERE user_id = $1`,
    [expired.id],
  );
  callers.set('an expired access token', { token: expired.client.token, verdict: always(401) });

  const member_access = { institution_id: lender.institution_id, role: 'ADMIN' };
  callers.set('a user with a temporary password', {
    token: (await appoint(member_access)).token,
    verdict: mustChangePassword,
  });
  callers.set('a platform administrator', {
    token: (await appoint({ platform_role: 'PLATFORM_ADMIN' })).token,
    verdict: userWith({ platform_roles: ['PLATFORM_ADMIN'] }),
  });
  callers.set('a superadmin', {
    token: administrator.token,
    verdict: userWith({ platform_roles: ['PLATFORM_ADMIN', 'SVC_SUPERADMIN'] }),
  });
}

async function prepareSuspended(): Promise<void> {
  for (const status of ['SUSPENDED', 'CLOSED']) {
    const member = await enrol(anonymous, administrator, `Matrix ${status}`);
    await administrator.expect(200, 'PATCH', `/admin/institutions/${member.institution_id}`, {
      body: { status, reason: 'For the matrix.' },
    });
    callers.set(`a key of a ${status} institution`, {
      token: member.key.token,
      verdict: always(403),
    });
    callers.set(`an owner of a ${status} institution`, {
      token: member.owner.token,
      verdict: always(403),
    });
  }
}

/** The people whom records are about, by links that a lender gives them. */
async function preparePersons(): Promise<void> {
  const enter = async (member: Client, reporting: Client) => {
    const { id } = await reporting.create('/subjects', {
      type: 'INDIVIDUAL',
      game_uuid: randomUUID(),
      current_username: `matrix-${randomUUID().slice(0, 8)}`,
    });
    const opening = { account_type: 'TERM_LOAN', opened_at: '2024-01-15T00:00:00Z' };
    const account = { ...opening, subject_id: id, original_principal: 100 };
    const external_account_id = `matrix-${randomUUID()}`;
    await reporting.create('/accounts', { ...account, external_account_id }, external_account_id);
    return letIn(anonymous, member, id);
  };
  const live = lender.key;
  const test = anonymous.as((await keyOf(lender, { environment: 'test' })).secret);
  callers.set('a person at the own file', {
    token: (await enter(live, live)).token,
    verdict: atOwnFile,
  });
  callers.set('a person at the own file in test', {
    token: (await enter(test, test)).token,
    verdict: atOwnFile,
  });
  const left = await enter(live, live);
  await left.expect(204, 'DELETE', '/my/session');
  callers.set('a person who has left', { token: left.token, verdict: always(401) });
  const late = await enter(live, live);
  const ended = await runSql(
    system,
    `UPDATE identity.person_sessions SET expires_at = now() - interval '1 second'
     WHERE token_hash = sha256($1::bytea) RETURNING id`,
    [late.token],
  );
  expect(ended).toHaveLength(1);
  callers.set('a person whose session is over', { token: late.token, verdict: always(401) });
}

/** What people hold who are no members, or not yet: it opens its own thing and nothing else. */
async function prepareStrangers(): Promise<void> {
  const dispute = await anonymous.create('/public/disputes', {
    reported_institution_id: lender.institution_id,
    opened_by: 'Somebody',
    reason: 'NOT_MY_ACCOUNT',
    description: 'None of these accounts was ever mine.',
  });
  const own = await anonymous.request('GET', `/public/disputes/${dispute.id}`, {
    token: dispute.access_token,
  });
  expect(own.status).toBe(200);
  const email = `invited-${randomUUID()}@member.example`;
  const invitation = await lender.owner.create('/institutions/users/invitations', {
    email,
    role: 'ADMIN',
  });
  const user = await appointed({ institution_id: lender.institution_id, role: 'VIEWER' });
  const signed_in = await anonymous.expect(200, 'POST', '/auth/login', {
    body: { email: user.user.email, password: user.temporary_password },
  });
  for (const [name, token] of [
    ['the opener of a dispute', dispute.access_token],
    ['an invitation', invitation.token],
    ['a refresh token', signed_in.refresh_token],
    ['a temporary password', user.temporary_password],
  ] as const) {
    expect(typeof token).toBe('string');
    callers.set(name, { token, verdict: always(401) });
  }
}

beforeAll(async () => {
  system = await startSystem(SETTINGS);
  ({
    anonymous,
    administrator,
    members: { lender, other },
  } = await company(system, { lender: 'Matrix Lender', other: 'Matrix Neighbour' }));

  callers.set('nobody', { verdict: always(401) });
  for (const [name, token] of [
    ['garbage', 'x'],
    ['an unknown token', `svc_at_${'A'.repeat(43)}`],
    ['a key with a typing error', `${lender.key.token?.slice(0, -1)}~`],
  ] as const) {
    callers.set(name, { token, verdict: always(401) });
  }
  await prepareKeys();
  await prepareUsers();
  await prepareSuspended();
  await prepareStrangers();
  await preparePersons();
}, 240_000);

afterAll(() => system?.stop(), 60_000);

// --- The matrix ---

/**
 * A call without effect: with a field that no operation has, or an id that nothing has. The
 * checks have a fixed order, so who gets past access meets exactly that fault.
 */
function probe(operation: Operation): { reached: number[]; options: { body?: unknown } } {
  // A file of no type.
  if (operation.upload !== undefined) return { reached: [400], options: {} };
  if (operation.body !== undefined) {
    return { reached: [422], options: { body: { no_such_field: 1 } } };
  }
  const has_params = Object.keys(operation.params).length > 0;
  if (operation.method === 'GET') {
    // What belongs to a thing that nothing has may also be an empty list.
    return { reached: has_params ? [404, 200] : [200], options: {} };
  }
  // What takes no body refuses a field all the same.
  if (!has_params) return { reached: [422], options: { body: { no_such_field: 1 } } };
  return { reached: [404], options: {} };
}

function call(
  { token, from }: Pick<Caller, 'token' | 'from'>,
  operation: Operation,
  options: {
    body?: unknown;
    file?: Operation['upload'];
    params?: Record<string, string>;
    environment?: Environment;
  } = {},
): Promise<Answer> {
  const { environment } = options;
  const query = queryOf(operation);
  const choice =
    environment === undefined ? '' : `${query === '' ? '?' : '&'}environment=${environment}`;
  return anonymous.request(
    operation.method,
    `${pathOf(operation, options.params)}${query}${choice}`,
    {
      token,
      ...(options.body === undefined ? {} : { body: options.body }),
      ...(options.file === undefined ? {} : { file: options.file.example }),
      headers: {
        ...(operation.idempotent ? { 'idempotency-key': `matrix-${randomUUID()}` } : {}),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      },
    },
  );
}

function incomplete({ status, headers, text }: Answer): string[] {
  return faultsOf(status, (name) => headers.get(name), text);
}

/** Why a credential that is good may be refused. */
const OF_GOOD_CREDENTIALS = [
  'SCOPE',
  'ROLE',
  'CREDENTIAL_KIND',
  'NO_INSTITUTION',
  'ADDRESS',
  'INSTITUTION_STATUS',
  'PASSWORD_CHANGE_REQUIRED',
  'SECOND_FACTOR_REQUIRED',
  'TEST_KEYS_ONLY',
];

const isKey = ({ token }: Caller) => /^svc_(live|test)_/.test(token ?? '');

/** The scope, permission or role that the operation's rule names to such a caller. */
function requiredOf(caller: Caller, { access }: Operation): string | undefined {
  switch (access.kind) {
    case 'scope':
      return isKey(caller) ? access.scope : access.permission;
    case 'user':
      return access.permission;
    case 'platform':
      return access.role;
    default:
      return undefined;
  }
}

/** Any credential may call these, if it belongs to an institution. */
const OF_AN_INSTITUTION = new Set([
  'getReportingHealth',
  'getReportingHealthByDay',
  'getReportingHealthAccounts',
  'getReportingHealthRejections',
]);
const WITHOUT_INSTITUTION = new Set(['a platform administrator', 'a superadmin']);

const cells = declared.flatMap((operation) => [
  [operation.id, 'live', operation, undefined] as const,
  ...(choosesEnvironment(operation.access)
    ? [[operation.id, 'test', operation, 'test'] as const]
    : []),
]);

it.each(cells)(
  '%s (%s) is reached by those whom its rule names, and by nobody else',
  async (_id, environment, operation, asked) => {
    const { reached, options } = probe(operation);
    const { access } = operation;
    const is_open = access.kind === 'public' || access.kind === 'token';
    const refusals = new Set<string>();
    const meet = async ([name, caller]: [string, Caller]) => {
      const answer = await call(caller, operation, { ...options, environment: asked });
      const { reason, message, required } = answer.body?.error ?? {};
      if (answer.status === 401 && caller.token !== undefined) {
        refusals.add(`${reason} ${message}`);
      } else if (answer.status === 401) {
        expect(reason).toBe('NO_CREDENTIAL');
      } else if (answer.status === 403) {
        expect(OF_GOOD_CREDENTIALS).toContain(reason);
        expect([undefined, requiredOf(caller, operation)]).toContain(required);
        // Whoever runs the network, and no more, is told that this is for members.
        const is_for_members = access.kind === 'scope' || OF_AN_INSTITUTION.has(operation.id);
        expect(reason === 'NO_INSTITUTION').toBe(is_for_members && WITHOUT_INSTITUTION.has(name));
      }
      // A key that asks for what it does not act on gets in, and is told so; of a file, what it is
      // comes first.
      const is_elsewhere = asked !== undefined && isKey(caller) && caller.acts_on !== asked;
      const is_told = is_elsewhere && !is_open && operation.upload === undefined;
      const statuses = is_told ? [422] : reached;
      const verdict = statuses.includes(answer.status) ? 'reached' : answer.status;
      return [name, { verdict, faults: incomplete(answer) }] as const;
    };
    const met: Awaited<ReturnType<typeof meet>>[] = [];
    if (operation.stream === undefined) met.push(...(await Promise.all([...callers].map(meet))));
    // Of some documents an institution may read a few at once.
    else for (const caller of callers) met.push(await meet(caller));
    const expected = [...callers].map(([name, caller]) => {
      // Whose token is another dispute's has none.
      if (access.kind === 'token') return [name, { verdict: 401, faults: [] }];
      const is_strange = OF_AN_INSTITUTION.has(operation.id) && WITHOUT_INSTITUTION.has(name);
      const verdict = is_open ? 'reached' : caller.verdict(access, environment);
      return [name, { verdict: is_strange ? 403 : verdict, faults: [] }];
    });
    expect(Object.fromEntries(met)).toEqual(Object.fromEntries(expected));
    // A credential that is not valid is told nothing of what is wrong with it.
    if (!is_open) expect([...refusals]).toEqual([expect.stringMatching(/^CREDENTIAL_NOT_VALID /)]);
  },
);

// --- What belongs to another institution or to the other environment ---

/** Path parameters that name what all members share, or what is the platform's. */
const NOT_OWNED = new Set([
  'subject_id',
  'snapshot_id',
  'game_uuid',
  'application_id',
  'institution_id',
  'user_id',
  'dispute_id',
]);

/** By path parameter: a live thing of the lender's. */
const owned: Record<string, string> = {};

async function makeOwned(): Promise<void> {
  const { key, owner } = lender;
  const subject = await key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `matrix-${randomUUID().slice(0, 8)}`,
  });
  const account = await key.create(
    '/accounts',
    {
      subject_id: subject.id,
      external_account_id: `matrix-${randomUUID()}`,
      account_type: 'TERM_LOAN',
      original_principal: 100,
      opened_at: '2024-01-15T00:00:00Z',
    },
    `matrix-${randomUUID()}`,
  );
  // Nobody listens there: the delivery stays pending.
  const webhook = await key.create('/webhooks', {
    url: 'https://127.0.0.1:9/hook',
    events: ['credit.default.reported'],
  });
  const event = await key.create(
    `/accounts/${account.id}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: new Date().toISOString() },
    `matrix-${randomUUID()}`,
  );
  // It waits for the rest of its file, and changes no more.
  const waiting = await key.expect<Json>(202, 'POST', '/imports?kind=EVENTS&partial=true', {
    file: { type: 'text/csv', text: 'external_account_id' },
  });
  owned.import_id = waiting.id;
  owned.name = `matrix-${randomUUID()}`;
  await key.expect(200, 'PUT', `/import-mappings/${owned.name}`, {
    body: declared.find(({ id }) => id === 'saveImportMapping')?.examples.body,
  });
  owned.account_id = account.id;
  owned.event_id = event.id;
  owned.webhook_id = webhook.id;
  owned.key_id = (
    await owner.create('/api-keys', {
      display_name: 'not yours',
      scopes: ['credit:read'],
      environment: 'live',
    })
  ).id;
  owned.invitation_id = (
    await owner.create('/institutions/users/invitations', {
      email: 'not-yours@member.example',
      role: 'VIEWER',
    })
  ).id;
  // Of the owner's log, to which it comes by a message; what came before it is there then.
  const logged = await eventually(
    () => owner.get<Json[]>('/audit?limit=50'),
    (entries) => entries.some(({ target }) => target.id === owned.key_id),
  );
  owned.id = logged.find(({ target }) => target.id === owned.key_id)?.id;
  owned.user_id = (await owner.get<Json>('/auth/me')).id;
  owned.session_id = (await owner.get<Json[]>('/auth/sessions'))[0]?.id;
  owned.delivery_id = await firstDelivery(webhook.id);
  if (declared.some(({ path }) => path === '/reports/{report_id}')) {
    owned.report_id = await requestReport(subject.id);
    // The look that a report is asked for with has its id.
    owned.inquiry_id = owned.report_id;
  }
}

async function firstDelivery(webhook_id: string): Promise<string> {
  const [delivery] = await eventually(
    () => lender.key.get<Json[]>(`/webhooks/${webhook_id}/deliveries`),
    ({ length }) => length > 0,
  );
  return delivery?.id;
}

/** A report about the subject, with the rest of the body as its declaration shows it. */
async function requestReport(subject_id: string): Promise<string> {
  const operation = declared.find(({ method, path }) => method === 'POST' && path === '/reports');
  const example = operation?.examples.body as Json;
  return (await lender.key.create('/reports', { ...example, subject_id })).id;
}

/** Who of a member may call an operation at all. */
function callerOf(member: Member, { access }: Operation): string | undefined {
  return access.kind === 'user' ? member.owner.token : member.key.token;
}

const of_institutions = declared.filter(({ access }) =>
  ['scope', 'any', 'user'].includes(access.kind),
);

describe('what belongs to an institution', () => {
  const with_owned = of_institutions.filter(
    ({ method, params }) =>
      // What is put under a name is one's own, whatever others have under it.
      method !== 'PUT' && Object.keys(params).some((name) => !NOT_OWNED.has(name)),
  );
  const lists = of_institutions.filter(
    ({ id, paging, params }) =>
      // Checkpoints of what happens meanwhile are signed meanwhile.
      id !== 'listAuditCheckpoints' && paging !== undefined && Object.keys(params).length === 0,
  );
  let before: unknown[] | undefined;
  let strangers: {
    readonly name: string;
    readonly tokenFor: (operation: Operation) => string | undefined;
    readonly environment?: Environment;
  }[];

  const seenByLender = () =>
    Promise.all(
      lists.map(async (operation) => {
        const answer = await call({ token: callerOf(lender, operation) }, operation);
        // When a key was last used changes with each use of it.
        return answer.text.replaceAll(/"last_used_at":("[^"]*"|null)/g, '');
      }),
    );

  beforeAll(async () => {
    await makeOwned();
    const test_key = callers.get('a test key with all scopes')?.token;
    strangers = [
      { name: 'another institution', tokenFor: (operation) => callerOf(other, operation) },
      { name: 'a user of another institution', tokenFor: () => other.owner.token },
      {
        name: 'the other environment',
        // Users and keys are above environments; all else is in one of them.
        tokenFor: ({ access }) => (access.kind === 'user' ? undefined : test_key),
      },
      {
        name: 'its owner who asks for test',
        tokenFor: ({ access }) => (choosesEnvironment(access) ? lender.owner.token : undefined),
        environment: 'test',
      },
    ];
    // What was made has more to follow it, by messages of their own: until nothing does.
    await eventually(
      async () => {
        const seen = before;
        before = await seenByLender();
        return isDeepStrictEqual(seen, before);
      },
      (is_still) => is_still,
    );
  }, 60_000);

  it.each(with_owned.map((operation) => [operation.id, operation] as const))(
    '%s says the same of it to strangers as of what does not exist',
    async (_id, operation) => {
      for (const name of Object.keys(operation.params)) {
        if (!NOT_OWNED.has(name)) expect(owned).toHaveProperty(name);
      }
      const { examples, upload: file } = operation;
      const { body } = examples;
      for (const { name: stranger, tokenFor, environment } of strangers) {
        const token = tokenFor(operation);
        if (token === undefined) continue;
        const sent = { body, file, environment };
        const strange = await call({ token }, operation, { ...sent, params: owned });
        const unknown = await call({ token }, operation, sent);
        expect({ stranger, status: strange.status, faults: incomplete(strange) }).toEqual({
          stranger,
          status: 404,
          faults: [],
        });
        expect(strange.body.error.message).toBe(unknown.body.error.message);
      }
    },
  );

  it('cannot be reported on in a batch', async () => {
    const event = {
      credit_account_id: owned.account_id,
      event_type: 'BALANCE_UPDATED',
      occurred_at: new Date().toISOString(),
      balance_after: 1,
    };
    for (const token of [other.key.token, callers.get('a test key with all scopes')?.token]) {
      const answer = await anonymous.request('POST', '/events/bulk', {
        token,
        body: { events: [event] },
        headers: { 'idempotency-key': `matrix-${randomUUID()}` },
      });
      expect(answer.status).toBe(404);
    }
  });

  it.each(lists.map((operation) => [operation.id, operation] as const))(
    '%s lists none of it to strangers',
    async (_id, operation) => {
      for (const { tokenFor, environment } of strangers) {
        const token = tokenFor(operation);
        if (token === undefined) continue;
        const answer = await call({ token }, operation, { environment });
        expect(answer.status).toBe(200);
        for (const id of Object.values(owned)) expect(answer.text).not.toContain(id);
      }
    },
  );

  it('is the same to its owner as to its key', async () => {
    for (const operation of lists.filter(({ access }) => access.kind === 'scope')) {
      const [by_key, by_owner] = await Promise.all(
        [lender.key.token, lender.owner.token].map((token) => call({ token }, operation)),
      );
      expect([operation.id, by_owner?.text]).toEqual([operation.id, by_key?.text]);
    }
  });

  it('is left as it was by all of that', async () => {
    expect(await seenByLender()).toEqual(before);
  });

  it('is looked at by people in their own names', async () => {
    const token = callers.get('a user who is LOAN_OFFICER')?.token;
    const officer = (await anonymous.request('GET', '/auth/me', { token })).body;
    const [account] = await lender.key.get<Json[]>('/accounts?limit=1');
    const body = {
      subject_id: account?.subject_id,
      purpose: 'NEW_CREDIT_APPLICATION',
      inquiry_type: 'SOFT',
    };
    const looked = await anonymous.request('POST', '/inquiries', { token, body });
    expect(looked.status).toBe(201);
    const entry = await eventually(
      async () => {
        const entries = await lender.owner.get<Json[]>('/audit?limit=50');
        return entries.find(({ changes }) => changes.inquiry_id === looked.body.id);
      },
      (found) => found !== undefined,
    );
    expect(entry).toMatchObject({
      action: 'inquiry.recorded',
      actor: { type: 'user', id: officer.id },
      environment: 'live',
    });
  });
});
