// Every page of the console by everybody's session: who finds it, and that nothing of another
// institution or of the other environment is on it.

import { randomUUID } from 'node:crypto';
import { SCREENS, type Screen } from '@credit/console';
import {
  ALL_SCOPES,
  Client,
  enrol,
  type Json,
  logIn,
  type Member,
} from '@credit/local/demo/client';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

const ROLES = ['OWNER', 'ADMIN', 'COMPLIANCE', 'LOAN_OFFICER', 'DEVELOPER', 'VIEWER'] as const;
const ENVIRONMENTS = ['live', 'test'] as const;
type Role = (typeof ROLES)[number];
type Environment = (typeof ENVIRONMENTS)[number];

const PASSWORD = 'six green garden gates';

/** What names here begin with says whose they are: `amber-live-loan`. */
const NAMES = ['amber', 'basalt'] as const;

interface Lender {
  readonly name: string;
  readonly member: Member;
  /** Ids for the parameters of pages' paths. */
  readonly ids: Readonly<Record<Environment, Readonly<Record<string, string>>>>;
  readonly cookies: ReadonlyMap<Role, string>;
}

let system: SharedSystem;
let anonymous: Client;
let administrator: Client;
let administrators_cookie: string;
const lenders = new Map<string, Lender>();

const lender = (name: string) => {
  const found = lenders.get(name);
  if (found === undefined) throw new Error(`no lender ${name}`);
  return found;
};

beforeAll(async () => {
  system = await sharedSystem();
  anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  administrator = await logIn(anonymous, email, password);
  administrators_cookie = await cookieOf(email, password);
  for (const name of NAMES) lenders.set(name, await prepare(name));
}, 240_000);

async function prepare(name: string): Promise<Lender> {
  const member = await enrol(anonymous, administrator, `${name}-live-lender`);
  const cookies = new Map<Role, string>();
  for (const role of ROLES) {
    const email = `${role.toLowerCase()}-${randomUUID()}@${name}.example`;
    const invitation = await member.owner.create('/institutions/users/invitations', {
      email,
      role,
    });
    const display_name = `${name}-live-${role.toLowerCase()}`;
    const { token } = invitation;
    await anonymous.create('/auth/accept-invitation', { token, display_name, password: PASSWORD });
    cookies.set(role, await cookieOf(email, PASSWORD));
  }
  const ids = {
    live: await record(name, 'live', member),
    test: await record(name, 'test', member),
  };
  return { name, member, ids, cookies };
}

/** Something of everything that pages show. */
async function record(
  name: string,
  environment: Environment,
  member: Member,
): Promise<Record<string, string>> {
  const mark = `${name}-${environment}`;
  const { secret } = await member.owner.create('/api-keys', {
    display_name: `${mark}-key`,
    environment,
    scopes: ALL_SCOPES,
  });
  const key = anonymous.as(secret);
  // Subjects are the network's: what names one is nobody's own.
  const subject = await key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `borrower-${randomUUID().slice(0, 8)}`,
  });
  const account = await key.create(
    '/accounts',
    {
      subject_id: subject.id,
      external_account_id: `${mark}-loan`,
      account_type: 'TERM_LOAN',
      original_principal: 1_000,
      current_balance: 1_000,
      opened_at: new Date(Date.now() - 86_400_000).toISOString(),
    },
    randomUUID(),
  );
  const webhook = await key.create('/webhooks', {
    url: `https://${mark}.example/hook`,
    events: ['credit.default.reported'],
  });
  await key.expect(200, 'PUT', `/import-mappings/${mark}-mapping`, {
    body: { kind: 'ACCOUNTS', constants: { currency: 'DCR' } },
  });
  const waiting = await key.expect(
    202,
    'POST',
    `/imports?kind=ACCOUNTS&mapping=${mark}-mapping&partial=true`,
    { file: { type: 'text/csv', text: 'external_account_id' } },
  );
  const report = await key.create('/reports', {
    subject_id: subject.id,
    report_type: 'FULL',
    purpose: 'ACCOUNT_REVIEW',
    format: 'JSON',
  });
  const snapshots = await key.get(`/credit/${subject.id}/history?purpose=ACCOUNT_REVIEW`);
  const [opening] = await key.get<Json[]>(`/accounts/${account.id}/events`);
  const dispute =
    environment === 'live'
      ? await anonymous.create('/public/disputes', {
          subject_id: subject.id,
          reported_institution_id: member.institution_id,
          opened_by: `${mark}-opener`,
          reason: 'NOT_MY_ACCOUNT',
          description: `${mark}-dispute: none of these accounts was ever mine.`,
        })
      : await key.create('/sandbox/disputes', { credit_event_id: opening?.id });
  // Listed, it is known whose it is.
  await key.get('/disputes');
  return {
    institution_id: member.institution_id,
    subject_id: subject.id,
    account_id: account.id,
    webhook_id: webhook.id,
    import_id: waiting.id,
    report_id: report.id,
    inquiry_id: report.inquiry_id,
    snapshot_id: snapshots[0]?.id ?? randomUUID(),
    dispute_id: dispute.id,
  };
}

/** Signs in as a browser does. */
async function cookieOf(email: string, password: string): Promise<string> {
  const page = await (await fetch(at('/sign-in'))).text();
  const form_token = /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await fetch(at('/sign-in'), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ form_token, next: '/console', email, password }),
  });
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const at = (path: string) => `http://127.0.0.1:${system.port}/console${path}`;

interface Seen {
  readonly status: number;
  readonly text: string;
}

async function see(cookie: string | undefined, path: string): Promise<Seen> {
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  const answer = await fetch(at(path), { headers, redirect: 'manual' });
  return { status: answer.status, text: await answer.text() };
}

/** A page's path in an environment, with the parameters that it names. */
function pathOf(screen: Screen, environment: Environment, ids: Readonly<Record<string, string>>) {
  const path = screen.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`no ${name} for ${screen.path}: make one in record()`);
    return id;
  });
  return `${environment === 'test' ? '/test' : ''}${path}`;
}

const environmentsOf = (screen: Screen) =>
  screen.by_environment ? ENVIRONMENTS : (['live'] as const);
const pages = SCREENS.flatMap((screen) =>
  environmentsOf(screen).map((environment) => [screen.path, environment, screen] as const),
);

/** Marks of others in a page's text. */
function foreign(text: string, name: string, screen: Screen, environment: Environment): string[] {
  const marks = text.match(/\b(?:amber|basalt)-(?:live|test)-\w+/g) ?? [];
  return marks.filter(
    (mark) =>
      !mark.startsWith(`${name}-`) ||
      // The institution and its people are the same in both.
      (screen.by_environment === true &&
        !mark.startsWith(`${name}-${environment}-`) &&
        !/-(?:lender|owner|admin|compliance|loan_officer|developer|viewer)$/.test(mark)),
  );
}

const OWNERS: readonly Role[] = ['OWNER', 'ADMIN'];
const DEVELOPERS: readonly Role[] = [...OWNERS, 'DEVELOPER'];
const LOAN_DESK: readonly Role[] = [...OWNERS, 'LOAN_OFFICER'];
const COMPLIANCE: readonly Role[] = [...OWNERS, 'COMPLIANCE'];
const READERS: readonly Role[] = [...OWNERS, 'COMPLIANCE', 'LOAN_OFFICER'];
const NOBODY: readonly Role[] = [];

/** Who of a member finds a page on live data, and who finds it on test data alone. */
const WHO: Readonly<Record<string, readonly [live: readonly Role[], test?: Role]>> = {
  '/': [ROLES],
  '/people': [OWNERS],
  '/keys': [DEVELOPERS],
  '/audit': [COMPLIANCE],
  '/audit/csv': [COMPLIANCE],
  '/institution': [ROLES],
  '/subjects': [READERS, 'DEVELOPER'],
  '/subjects/:subject_id': [READERS, 'DEVELOPER'],
  '/subjects/:subject_id/history': [READERS, 'DEVELOPER'],
  '/subjects/:subject_id/history/:snapshot_id': [READERS, 'DEVELOPER'],
  '/subjects/:subject_id/simulate': [READERS, 'DEVELOPER'],
  '/subjects/:subject_id/report': [LOAN_DESK],
  '/inquiries': [READERS, 'DEVELOPER'],
  '/inquiries/:inquiry_id/notice': [LOAN_DESK],
  '/reports': [READERS, 'DEVELOPER'],
  '/reports/:report_id': [LOAN_DESK],
  '/reports/:report_id/document': [LOAN_DESK],
  '/accounts': [COMPLIANCE, 'DEVELOPER'],
  '/accounts/:account_id': [COMPLIANCE, 'DEVELOPER'],
  '/accounts/:account_id/report': [OWNERS, 'DEVELOPER'],
  '/disputes': [ROLES],
  '/disputes/:dispute_id': [COMPLIANCE, 'DEVELOPER'],
  '/reporting-health': [ROLES],
  '/imports': [OWNERS, 'DEVELOPER'],
  '/imports/new': [OWNERS, 'DEVELOPER'],
  '/imports/template': [OWNERS, 'DEVELOPER'],
  '/imports/mappings': [OWNERS, 'DEVELOPER'],
  '/imports/:import_id': [OWNERS, 'DEVELOPER'],
  '/imports/:import_id/faults': [OWNERS, 'DEVELOPER'],
  '/webhooks': [DEVELOPERS],
  '/webhooks/:webhook_id': [DEVELOPERS],
  '/network/disputes': [NOBODY],
  '/network/disputes/:dispute_id': [NOBODY],
  '/network/mixed-files': [NOBODY],
  '/network/mixed-files/:subject_id': [NOBODY],
  '/network/applications': [NOBODY],
  '/network/institutions': [NOBODY],
  '/network/institutions/:institution_id': [NOBODY],
  '/network/users': [NOBODY],
  '/network/contact-requests': [NOBODY],
  '/network/audit': [NOBODY],
  '/network/audit/csv': [NOBODY],
  '/sessions': [ROLES],
  '/password': [ROLES],
  '/second-factor': [ROLES],
};

/** What an owner must find there, lest pages that show nothing pass. */
const SHOWN: Readonly<Record<string, string>> = {
  '/keys': 'key',
  '/accounts': 'loan',
  '/accounts/:account_id': 'loan',
  '/disputes/:dispute_id': 'loan',
  '/imports/new': 'mapping',
  '/imports/mappings': 'mapping',
  '/imports/:import_id': 'mapping',
};

/** What an administrator of the network finds besides its own pages. */
const OF_ADMINISTRATORS = new Set(['/', '/sessions', '/password', '/second-factor']);

test.each(pages)(
  '%s (%s) shows each member its own, to whom it may',
  async (_, environment, screen) => {
    const [own, other] = [lender('amber'), lender('basalt')];
    const path = pathOf(screen, environment, own.ids[environment]);
    const [live, in_test] = WHO[screen.path] ?? [NOBODY];
    for (const [role, cookie] of own.cookies) {
      const { status, text } = await see(cookie, path);
      const is_for = live.includes(role) || (environment === 'test' && role === in_test);
      expect([role, status]).toEqual([role, is_for ? 200 : 404]);
      expect([role, foreign(text, 'amber', screen, environment)]).toEqual([role, []]);
      const shown = SHOWN[screen.path];
      if (role === 'OWNER' && shown !== undefined) {
        expect(text).toContain(`amber-${environment}-${shown}`);
      }
    }
    for (const role of ['OWNER', 'DEVELOPER'] as const) {
      const { text } = await see(other.cookies.get(role), path);
      expect([role, foreign(text, 'basalt', screen, environment)]).toEqual([role, []]);
    }
    const is_networks = screen.path.startsWith('/network/') || OF_ADMINISTRATORS.has(screen.path);
    const { status } = await see(administrators_cookie, path);
    expect(status).toBe(is_networks ? 200 : 404);
    expect((await see(undefined, path)).status).toBe(303);
  },
);

test('every page has its row above', () => {
  expect(Object.keys(WHO)).toEqual(SCREENS.map(({ path }) => path));
});
