import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type System, startSystem } from '@credit/local/spawned-system';
import { hashSecret, newContactToken } from '@credit/platform/credentials';
import { type FoundOperation, OpenApiDocument, type SampleValues, sampleOf } from '@credit/portal';
import { SmtpSink, tokenIn } from '@credit/testing';
import { codeFrom } from '../support/authenticator';
import { reportedDaysAgo } from '../support/examples-story';
import { signInAt } from '../support/identity-provider';
import { runSql } from '../support/postgres';
import { bodyIn, RUNNABLE, type Runnable, SampleRunner } from '../support/sample-run';

const BASE_PATH = '/api/v1';
/** Begins the ids and names of every example, so that they can be told from real ones. */
const EXAMPLE_ID = /^0198a1c/;

const mails = new SmtpSink();
const samples = new SampleRunner();
let system: System;
let anonymous: Client;
let administrator: Client;
let operations: Map<string, FoundOperation>;

beforeAll(async () => {
  await mails.start();
  system = await startSystem({
    AUDIT_CHECKPOINT_POLL_MS: '200',
    IDENTITY_PROVIDER: 'local',
    SMTP_URL: mails.url,
    MAIL_FROM: 'no-reply@network.example',
  });
  anonymous = new Client(system.base_url);
  const { email, password } = system.superadmin;
  administrator = await logIn(anonymous, email, password);
  const document = new OpenApiDocument(await anonymous.get<Json>('/openapi.json'));
  operations = new Map(document.operations().map((operation) => [operation.id, operation]));
}, 240_000);
afterAll(async () => {
  samples.stop();
  await system?.stop();
  await mails.stop();
}, 60_000);

interface World {
  /** Who made the member, and runs the network. */
  readonly administrator: string;
  readonly member: Member;
  /** What each operation has answered, by its id. */
  readonly said: Record<string, Json>;
}

type Step = readonly [operation: string, values: (world: World) => SampleValues];

const unique = () => randomUUID().slice(0, 8);
const param = (parameters: Record<string, string>): SampleValues => ({ parameters });
const keyed = (): Record<string, string> => ({ 'Idempotency-Key': `sample-${randomUUID()}` });

function exampleBody(id: string): Json {
  const body = operations.get(id)?.body as { example?: Json } | undefined;
  if (body?.example === undefined) throw new Error(`${id} has no example of a body.`);
  return structuredClone(body.example);
}

/** The example with what has to be a network's own: ids, names and addresses. */
function bodyOf(id: string, own: Json): Json {
  return { ...exampleBody(id), ...own };
}

const subject = ({ said }: World) => String(said.createSubject?.id);
const account = ({ said }: World) => String(said.createAccount?.id);
const mapping = param({ name: 'loan-ledger' });
const checked = ({ said }: World) => param({ import_id: String(said.createImport?.id) });
/** Of test data no mail is sent: it is put where the sender would have. */
const CONTACT_TOKEN = newContactToken();
const atOwnFile = ({ said }: World) => ({ credential: String(said.openMySession?.access_token) });
const webhook = ({ said }: World) => String(said.createWebhook?.id);

/** In this order every operation finds what it needs. */
const STEPS: readonly Step[] = [
  ['getOpenApi', () => ({})],
  ['getStatus', () => ({})],
  ['getNetworkStats', () => ({})],
  ['listMemberInstitutions', () => ({})],
  ['listAuditKeys', () => ({})],
  ['getCaller', () => ({})],
  [
    'createSubject',
    () => ({
      body: bodyOf('createSubject', {
        game_uuid: randomUUID(),
        current_username: `stonecutter-${unique()}`,
        forum_id: `f-${unique()}`,
      }),
    }),
  ],
  [
    'createSubjects',
    () => ({
      parameters: keyed(),
      body: {
        subjects: (exampleBody('createSubjects').subjects as Json[]).map((item) => ({
          ...item,
          game_uuid: randomUUID(),
          current_username: `stonecutter-${unique()}`,
        })),
      },
    }),
  ],
  ['getSubject', (world) => param({ subject_id: subject(world) })],
  [
    'getSubjectByGameUuid',
    ({ said }) => param({ game_uuid: String(said.createSubject?.game_uuid) }),
  ],
  ['searchSubjects', () => ({})],
  [
    'createAccount',
    (world) => ({
      parameters: keyed(),
      body: bodyOf('createAccount', { subject_id: subject(world) }),
    }),
  ],
  [
    'createAccounts',
    (world) => ({
      parameters: keyed(),
      body: {
        accounts: (exampleBody('createAccounts').accounts as Json[]).map((item) => ({
          ...item,
          subject_id: subject(world),
          external_account_id: `bulk-${unique()}`,
        })),
      },
    }),
  ],
  ['getAccount', (world) => param({ account_id: account(world) })],
  ['listAccounts', () => ({})],
  ['getAccountSummary', () => ({})],
  ['exportAccounts', () => ({})],
  ['reportEvent', (world) => param({ account_id: account(world), ...keyed() })],
  [
    'previewEvent',
    (world) => ({
      parameters: { account_id: account(world) },
      body: bodyOf('previewEvent', { supersedes_event_id: String(world.said.reportEvent?.id) }),
    }),
  ],
  [
    'reportEvents',
    (world) => ({
      parameters: keyed(),
      body: {
        events: (exampleBody('reportEvents').events as Json[]).map((item) => ({
          ...item,
          credit_account_id: account(world),
          source_reference: `ledger-${unique()}`,
        })),
      },
    }),
  ],
  ['getAccountPayments', (world) => param({ account_id: account(world) })],
  ['listAccountEvents', (world) => param({ account_id: account(world) })],
  [
    'proveEvent',
    (world) => param({ account_id: account(world), event_id: String(world.said.reportEvent?.id) }),
  ],
  [
    'createImport',
    (world) => ({
      parameters: { kind: 'EVENTS', dry_run: 'true' },
      file: `${JSON.stringify({
        credit_account_id: account(world),
        event_type: 'PAYMENT_MADE',
        occurred_at: '2026-03-01T08:00:00Z',
        amount: 143.48,
        source_reference: `ledger-${unique()}`,
      })}\n`,
    }),
  ],
  ['listImports', () => ({})],
  ['getImport', checked],
  ['listImportFaults', checked],
  ['getImportFaultsFile', checked],
  ['startImport', checked],
  [
    'continueImport',
    ({ said }) => ({
      ...param({ import_id: String(said.waiting?.id), from_bytes: '9', partial: 'true' }),
      file: 'type\n',
    }),
  ],
  ['cancelImport', ({ said }) => param({ import_id: String(said.waiting?.id) })],
  ['saveImportMapping', () => ({ ...mapping, body: exampleBody('saveImportMapping') })],
  ['listImportMappings', () => ({})],
  ['getImportMapping', () => mapping],
  ['deleteImportMapping', () => mapping],
  ['createAccessLink', (world) => param({ subject_id: subject(world) })],
  ['recordInquiry', (world) => ({ body: bodyOf('recordInquiry', { subject_id: subject(world) }) })],
  ['listInquiries', () => ({})],
  ['getCreditProfile', (world) => param({ subject_id: subject(world) })],
  ['listSnapshots', (world) => param({ subject_id: subject(world) })],
  [
    'diffSnapshots',
    (world) => {
      const snapshots = world.said.listSnapshots as unknown as Json[];
      return param({
        subject_id: subject(world),
        snapshot_id: String(snapshots.at(-1)?.id),
        to: String(snapshots[0]?.id),
      });
    },
  ],
  [
    'simulateCredit',
    (world) => ({
      parameters: { subject_id: subject(world) },
      body: bodyOf('simulateCredit', {
        events: (exampleBody('simulateCredit').events as Json[]).map((item) => ({
          ...item,
          account_id: account(world),
        })),
      }),
    }),
  ],
  ['createReport', (world) => ({ body: bodyOf('createReport', { subject_id: subject(world) }) })],
  ['createNotice', ({ said }) => param({ inquiry_id: String(said.getCreditProfile?.inquiry_id) })],
  ['listReports', () => ({})],
  ['getReport', ({ said }) => param({ report_id: String(said.createReport?.id) })],
  ['getReportDocument', ({ said }) => param({ report_id: String(said.createReport?.id) })],
  ['getReportingHealth', () => ({})],
  ['getReportingHealthByDay', () => ({})],
  ['getReportingHealthAccounts', () => ({})],
  ['getReportingHealthRejections', () => ({})],
  ['createWebhook', () => ({})],
  ['listWebhooks', () => ({})],
  ['updateWebhook', (world) => param({ webhook_id: webhook(world) })],
  ['testWebhook', (world) => param({ webhook_id: webhook(world) })],
  ['listDeliveries', (world) => param({ webhook_id: webhook(world) })],
  [
    'replayDeliveries',
    (world) => ({
      parameters: { webhook_id: webhook(world) },
      body: {
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date().toISOString(),
      },
    }),
  ],
  ['rotateWebhookSecret', (world) => param({ webhook_id: webhook(world) })],
  ['disableWebhook', (world) => param({ webhook_id: webhook(world) })],
  ['listFeed', () => ({})],
  ['listDisputes', () => ({})],
  ['createPersona', () => ({ parameters: keyed() })],
  [
    'updateSubject',
    (world) => ({
      parameters: { subject_id: subject(world) },
      body: bodyOf('updateSubject', { current_username: `stonecutter-${unique()}` }),
    }),
  ],
  ['listAttempts', ({ said }) => param({ delivery_id: String(said.attempted?.id) })],
  ['retryDelivery', ({ said }) => param({ delivery_id: String(said.attempted?.id) })],
  [
    'openSandboxDispute',
    ({ said }) => ({
      body: bodyOf('openSandboxDispute', { credit_event_id: String(said.reportEvent?.id) }),
    }),
  ],
  ['getDispute', ({ said }) => param({ dispute_id: String(said.openSandboxDispute?.id) })],
  [
    'answerDispute',
    ({ said }) => ({
      parameters: { ...keyed(), dispute_id: String(said.openSandboxDispute?.id) },
    }),
  ],
  ['moveSandboxDispute', ({ said }) => param({ dispute_id: String(said.openSandboxDispute?.id) })],
  ['clearSandbox', () => ({})],
];

const ofOwner = ({ member }: World): SampleValues => ({ credential: String(member.owner.token) });
const ofAdministrator = (world: World): SampleValues => ({ credential: world.administrator });
const newAddress = () => `${randomUUID()}@people.example`;
const PASSWORD = 'nine quiet harbour lamps';

const ofNewcomer = ({ said }: World) => String(said.reviewApplication?.invitation.email);
const resetMail = (world: World) =>
  mails.received.find(
    ({ to, data }) =>
      to.includes(ofNewcomer(world)) && data.includes('Subject: Set a new password'),
  );
const resetToken = (world: World): string => {
  const mail = resetMail(world);
  if (mail === undefined) throw new Error('The mail has not come.');
  return tokenIn(mail);
};

/** What people do: for their institution, for the network, and without any credential. */
const STEPS_OF_PEOPLE: readonly Step[] = [
  ['submitContactRequest', () => ({})],
  ['listContactRequests', (world) => ofAdministrator(world)],
  [
    'answerContactRequest',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { contact_request_id: String(world.said.submitContactRequest?.id) },
    }),
  ],
  [
    'submitApplication',
    () => ({
      body: bodyOf('submitApplication', {
        institution_name: `Harbour ${unique()}`,
        contact_email: newAddress(),
      }),
    }),
  ],
  ['listApplications', (world) => ofAdministrator(world)],
  [
    'reviewApplication',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { application_id: String(world.said.submitApplication?.id) },
    }),
  ],
  [
    'resendInvitation',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { application_id: String(world.said.submitApplication?.id) },
    }),
  ],
  ['previewInvitation', ({ said }) => ({ body: { token: said.resendInvitation?.token } })],
  [
    'acceptInvitation',
    ({ said }) => ({
      body: bodyOf('acceptInvitation', {
        token: said.resendInvitation?.token,
        password: PASSWORD,
      }),
    }),
  ],
  [
    'login',
    ({ said }) => ({
      body: { email: said.reviewApplication?.invitation.email, password: PASSWORD },
    }),
  ],
  ['refresh', ({ said }) => ({ body: { refresh_token: said.login?.refresh_token } })],
  [
    'changePassword',
    ({ said }) => ({
      credential: String(said.refresh?.access_token),
      body: { current_password: PASSWORD, new_password: `${PASSWORD} lit` },
    }),
  ],
  ['listSessions', ({ said }) => ({ credential: String(said.refresh?.access_token) })],
  [
    'endSession',
    ({ said }) => {
      const sessions = said.listSessions as unknown as Json[];
      return {
        credential: String(said.refresh?.access_token),
        parameters: { session_id: String(sessions[0]?.id) },
      };
    },
  ],
  ['forgotPassword', (world) => ({ body: { email: ofNewcomer(world) } })],
  [
    'resetForgottenPassword',
    (world) => ({ body: { token: resetToken(world), new_password: `${PASSWORD} out` } }),
  ],
  ['login', (world) => ({ body: { email: ofNewcomer(world), password: `${PASSWORD} out` } })],
  [
    'beginSecondFactor',
    ({ said }) => ({
      credential: String(said.login?.access_token),
      body: { current_password: `${PASSWORD} out` },
    }),
  ],
  [
    'confirmSecondFactor',
    ({ said }) => ({
      credential: String(said.login?.access_token),
      body: { code: codeFrom(said.beginSecondFactor?.secret, -1) },
    }),
  ],
  [
    'renewRecoveryCodes',
    ({ said }) => ({
      credential: String(said.login?.access_token),
      body: {
        current_password: `${PASSWORD} out`,
        code: codeFrom(said.beginSecondFactor?.secret),
      },
    }),
  ],
  ['login', (world) => ({ body: { email: ofNewcomer(world), password: `${PASSWORD} out` } })],
  [
    'completeLogin',
    ({ said }) => ({
      body: {
        challenge: said.login?.challenge,
        code: codeFrom(said.beginSecondFactor?.secret, 1),
      },
    }),
  ],
  [
    'removeSecondFactor',
    ({ said }) => ({
      credential: String(said.completeLogin?.access_token),
      body: {
        current_password: `${PASSWORD} out`,
        recovery_code: said.renewRecoveryCodes?.recovery_codes[0],
      },
    }),
  ],
  ['logout', ({ said }) => ({ credential: String(said.completeLogin?.access_token) })],
  ['openMySession', ({ said }) => ({ body: { token: said.createAccessLink?.token } })],
  [
    'setMyContact',
    (world) => ({ ...atOwnFile(world), body: { email: `person-${unique()}@post.example` } }),
  ],
  ['getMyContact', (world) => atOwnFile(world)],
  ['confirmMyContact', () => ({ body: { token: CONTACT_TOKEN } })],
  ['removeMyContact', (world) => atOwnFile(world)],
  ['placeMyFreeze', (world) => atOwnFile(world)],
  [
    'placeMyThaw',
    (world) => ({
      ...atOwnFile(world),
      body: bodyOf('placeMyThaw', { institution_id: world.member.institution_id }),
    }),
  ],
  ['getMyFreeze', (world) => atOwnFile(world)],
  [
    'withdrawMyThaw',
    (world) => ({ ...atOwnFile(world), ...param({ thaw_id: world.said.placeMyThaw?.id }) }),
  ],
  ['liftMyFreeze', (world) => atOwnFile(world)],
  ['placeMyAlert', (world) => atOwnFile(world)],
  ['listMyAlerts', (world) => atOwnFile(world)],
  [
    'removeMyAlert',
    (world) => ({ ...atOwnFile(world), ...param({ alert_id: world.said.placeMyAlert?.id }) }),
  ],
  ['setMyStatement', (world) => ({ ...atOwnFile(world), ...param({ record_id: account(world) }) })],
  ['listMyStatements', (world) => atOwnFile(world)],
  [
    'removeMyStatement',
    (world) => ({ ...atOwnFile(world), ...param({ record_id: account(world) }) }),
  ],
  ['getMyFile', (world) => atOwnFile(world)],
  ['getMyFileDocument', (world) => atOwnFile(world)],
  [
    'listMyAccountEvents',
    (world) => ({ ...atOwnFile(world), ...param({ account_id: account(world) }) }),
  ],
  [
    'openMyDispute',
    (world) => ({
      ...atOwnFile(world),
      parameters: keyed(),
      body: bodyOf('openMyDispute', { credit_event_id: world.said.reportEvent?.id }),
    }),
  ],
  ['listMyDisputes', (world) => atOwnFile(world)],
  [
    'getMyDispute',
    (world) => ({ ...atOwnFile(world), ...param({ dispute_id: world.said.openMyDispute?.id }) }),
  ],
  ['endMySession', (world) => atOwnFile(world)],
  ['beginMySignIn', () => ({ body: { environment: 'test' } })],
  ['completeMySignIn', ({ said }) => ({ body: said.came_back })],
  [
    'createApiKey',
    (world) => ({
      ...ofOwner(world),
      body: bodyOf('createApiKey', { expires_at: '2099-01-01T00:00:00Z' }),
    }),
  ],
  ['listApiKeys', ofOwner],
  [
    'rotateApiKey',
    (world) => ({ ...ofOwner(world), parameters: { key_id: String(world.said.createApiKey?.id) } }),
  ],
  [
    'revokeApiKey',
    (world) => ({ ...ofOwner(world), parameters: { key_id: String(world.said.rotateApiKey?.id) } }),
  ],
  [
    'createInvitation',
    (world) => ({
      ...ofOwner(world),
      body: bodyOf('createInvitation', { email: newAddress() }),
    }),
  ],
  ['listInvitations', ofOwner],
  [
    'withdrawInvitation',
    (world) => ({
      ...ofOwner(world),
      parameters: { invitation_id: String(world.said.createInvitation?.id) },
    }),
  ],
  [
    'createUser',
    (world) => ({
      ...ofAdministrator(world),
      body: bodyOf('createUser', {
        email: newAddress(),
        institution_id: world.member.institution_id,
      }),
    }),
  ],
  ['listMembers', (world) => ({ ...ofOwner(world), parameters: { q: 'owner' } })],
  [
    'updateMember',
    (world) => ({
      ...ofOwner(world),
      parameters: { user_id: String(world.said.createUser?.user.id) },
      body: { role: 'VIEWER' },
    }),
  ],
  [
    'resetMemberSecondFactor',
    (world) => ({
      ...ofOwner(world),
      parameters: { user_id: String(world.said.createUser?.user.id) },
    }),
  ],
  ['getOwnInstitution', ofOwner],
  ['updateOwnInstitution', ofOwner],
  ['listAuditEvents', ofOwner],
  ['exportAuditEvents', ofOwner],
  ['listAuditCheckpoints', ofOwner],
  [
    'proveAuditEvent',
    (world) => {
      const events = world.said.listAuditEvents as unknown as Json[];
      return { ...ofOwner(world), parameters: { id: String(events.at(-1)?.id) } };
    },
  ],
  ['proveAuditConsistency', (world) => ({ ...ofOwner(world), parameters: { from: '1', to: '1' } })],
  ['listNetworkAuditEvents', ofAdministrator],
  ['exportNetworkAuditEvents', ofAdministrator],
  ['listNetworkAuditCheckpoints', ofAdministrator],
  [
    'proveNetworkAuditEvent',
    (world) => {
      const events = world.said.listNetworkAuditEvents as unknown as Json[];
      return { ...ofAdministrator(world), parameters: { id: String(events.at(-1)?.id) } };
    },
  ],
  [
    'proveNetworkAuditConsistency',
    (world) => ({ ...ofAdministrator(world), parameters: { from: '1', to: '1' } }),
  ],
  [
    'mergeSubjects',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { subject_id: String(world.said.mixed?.stays), ...keyed() },
      body: { other_subject_id: String(world.said.mixed?.goes), reason: 'One party.' },
    }),
  ],
  [
    'splitSubject',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { subject_id: String(world.said.mixed?.stays), ...keyed() },
      body: { move_id: String(world.said.mergeSubjects?.id), reason: 'Two parties after all.' },
    }),
  ],
  [
    'listSubjectMoves',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { subject_id: String(world.said.mixed?.stays) },
    }),
  ],
  ['getNetworkMetrics', ofAdministrator],
  ['getNetworkTraffic', ofAdministrator],
  [
    'createInstitution',
    (world) => ({
      ...ofAdministrator(world),
      body: bodyOf('createInstitution', { name: `Harbour ${unique()}` }),
    }),
  ],
  ['listInstitutions', ofAdministrator],
  [
    'getInstitution',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { institution_id: world.member.institution_id },
    }),
  ],
  [
    'getInstitutionHealth',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { institution_id: world.member.institution_id },
    }),
  ],
  [
    'getInstitutionHealthRejections',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { institution_id: world.member.institution_id },
    }),
  ],
  [
    'getInquiryPurposes',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { institution_id: world.member.institution_id },
    }),
  ],
  [
    'getInstitutionHealthAccounts',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { institution_id: world.member.institution_id },
    }),
  ],
  [
    'updateInstitution',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { institution_id: String(world.said.reviewApplication?.institution.id) },
    }),
  ],
  ['listUsers', ofAdministrator],
  ...['updateUser', 'resetPassword', 'revokeSessions', 'resetSecondFactor'].map(
    (id): Step => [
      id,
      (world) => ({
        ...ofAdministrator(world),
        parameters: { user_id: String(world.said.createUser?.user.id) },
      }),
    ],
  ),
  [
    'openDispute',
    ({ member }) => ({
      body: bodyOf('openDispute', { reported_institution_id: member.institution_id }),
    }),
  ],
  [
    'getOpenedDispute',
    ({ said }) => ({
      credential: String(said.openDispute?.access_token),
      parameters: { dispute_id: String(said.openDispute?.id) },
    }),
  ],
  [
    'getDisputeRecord',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { dispute_id: String(world.said.openDispute?.id) },
    }),
  ],
  [
    'moveDispute',
    (world) => ({
      ...ofAdministrator(world),
      parameters: { dispute_id: String(world.said.openDispute?.id) },
      body: { status: 'REJECTED', resolution: 'The example names nobody.' },
    }),
  ],
];

const EVENTUALLY: readonly string[] = [
  'startImport',
  'continueImport',
  'proveEvent',
  'getReportDocument',
  'diffSnapshots',
  'proveAuditEvent',
  'proveAuditConsistency',
  'proveNetworkAuditEvent',
  'proveNetworkAuditConsistency',
  'resetForgottenPassword',
  'updateSubject',
  'listAttempts',
  'completeMySignIn',
  'mergeSubjects',
  'confirmMyContact',
];

/** What they answer is no JSON. */
const FILES: readonly string[] = [
  'getReportDocument',
  'getMyFileDocument',
  'exportAccounts',
  'getImportFaultsFile',
  'exportAuditEvents',
  'exportNetworkAuditEvents',
];

/** Runs the sample of each operation; what they have answered. */
async function steppedThrough(
  language: Runnable,
  world: World,
  steps: readonly Step[],
): Promise<Record<string, Json>> {
  for (const [id, values] of steps) {
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`There is no operation ${id}.`);
    const credential = world.member.key.token;
    const given = () =>
      sampleOf(operation, language, BASE_PATH, {
        base: system.base_url,
        credential,
        ...values(world),
      });
    if (EVENTUALLY.includes(id)) await soon(id, world);
    const printed = await samples.run(language, given());
    const body = FILES.includes(id) ? undefined : bodyIn(printed);
    world.said[id] = (body ?? {}) as Json;
  }
  return world.said;
}

/** Waits for what comes a moment later: a checkpoint, a built report, a second snapshot. */
async function soon(id: string, world: World): Promise<void> {
  const { key } = world.member;
  const is_there = async (): Promise<boolean> => {
    if (id === 'proveEvent') {
      const at = `/accounts/${account(world)}/events/${world.said.reportEvent?.id}/proof`;
      return (await key.request('GET', at)).status === 200;
    }
    if (id === 'resetForgottenPassword') return resetMail(world) !== undefined;
    if (id === 'confirmMyContact') {
      const text = `INSERT INTO identity.person_contact_tokens (token_hash, request_id)
        SELECT $1, id FROM identity.person_contact_requests WHERE subject_id = $2 RETURNING request_id`;
      const values = [hashSecret(CONTACT_TOKEN), world.said.openMySession?.subject_id];
      return (await runSql(system, text, values)).length === 1;
    }
    if (id.startsWith('proveAudit')) {
      return (await world.member.owner.get<Json[]>('/audit/checkpoints')).length > 0;
    }
    if (id.startsWith('proveNetworkAudit')) {
      return (await administrator.get<Json[]>('/admin/audit/checkpoints')).length > 0;
    }
    if (id === 'completeMySignIn') {
      const { sign_in_token, authorization_url } = world.said.beginMySignIn ?? {};
      // What the sandbox held is cleared by now.
      world.said.signs_in = await key.create('/subjects', {
        type: 'INDIVIDUAL',
        game_uuid: randomUUID(),
        current_username: `person-${unique()}`,
      });
      const answer = await signInAt(authorization_url, world.said.signs_in.game_uuid);
      world.said.came_back = { sign_in_token, ...answer };
      return true;
    }
    if (id === 'updateSubject') {
      await reportedDaysAgo(system, 'test', subject(world));
      return true;
    }
    if (id === 'listAttempts') {
      world.said.attempted ??= await failingWebhook(world);
      const path = `/webhooks/${world.said.attempted.webhook_id}/deliveries`;
      const [delivery] = await key.get<Json[]>(path);
      Object.assign(world.said.attempted, delivery);
      return delivery?.attempts === 1 && delivery.next_attempt_at !== null;
    }
    if (id === 'mergeSubjects') {
      world.said.mixed ??= await filedTwice(world);
      return true;
    }
    if (id === 'startImport') {
      return (await key.get(`/imports/${world.said.createImport?.id}`)).state === 'CHECKED';
    }
    if (id === 'continueImport') {
      world.said.waiting = await key.expect(202, 'POST', '/imports?kind=EVENTS&partial=true', {
        file: { type: 'text/csv', text: 'event_id,' },
      });
      return true;
    }
    if (id === 'getReportDocument') {
      return (await key.get(`/reports/${world.said.createReport?.id}`)).status === 'READY';
    }
    const found = await key.get<Json[]>(`/credit/${subject(world)}/history`);
    world.said.listSnapshots = found as unknown as Json;
    return found.length >= 2;
  };
  for (let tries = 0; tries < 100; tries++) {
    if (await is_there()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`What ${id} needs has not come.`);
}

/** Two subjects of live data, which administrators decide about. */
async function filedTwice({ member: { owner } }: World): Promise<Json> {
  const { secret } = await owner.create<Json>('/api-keys', {
    display_name: 'live ledger',
    scopes: ['credit:read', 'credit:report'],
    environment: 'live',
  });
  const file = async () => {
    const draft = { type: 'INDIVIDUAL', game_uuid: randomUUID() };
    const named = { ...draft, current_username: `stonecutter-${unique()}` };
    return (await anonymous.as(secret).create<Json>('/subjects', named)).id;
  };
  return { stays: await file(), goes: await file() };
}

/** A default told to an endpoint where nobody listens: its first attempt fails, the next is far off. */
async function failingWebhook(world: World): Promise<Json> {
  const { key } = world.member;
  const { id: webhook_id } = await key.create('/webhooks', {
    url: 'https://127.0.0.1:9/hook',
    events: ['credit.default.reported'],
  });
  await key.create(
    `/accounts/${account(world)}/events`,
    { event_type: 'DEFAULT_REPORTED', occurred_at: new Date().toISOString() },
    `sample-default-${unique()}`,
  );
  return { webhook_id };
}

describe.each(RUNNABLE)('every sample in %s does what its operation says', (language) => {
  let world: World;
  beforeAll(async () => {
    const member = await enrol(anonymous, administrator, `Samples in ${language}`, 'test');
    world = { member, administrator: String(administrator.token), said: {} };
  });

  test('with a key', async () => {
    const said = await steppedThrough(language, world, STEPS);
    expect(said.getCaller).toMatchObject({ type: 'api_key', environment: 'test' });
    expect(said.reportEvent).toMatchObject({ event_type: 'PAYMENT_MADE', balance_after: 8277.27 });
    expect(said.getCreditProfile).toMatchObject({ subject: { id: said.createSubject?.id } });
    expect(said.listAttempts).toMatchObject([
      { attempt: 1, response_status: null, error_class: 'CONNECTION_FAILED' },
    ]);
    expect(said.retryDelivery).toMatchObject({ status: 'PENDING', attempts: 1 });
    expect(String(said.createSubject?.id)).not.toMatch(EXAMPLE_ID);
  }, 180_000);

  test('for people, and without any credential', async () => {
    const said = await steppedThrough(language, world, STEPS_OF_PEOPLE);
    expect(said.createUser).toMatchObject({ user: { role: 'OWNER' } });
    expect(said.moveDispute).toMatchObject({ status: 'REJECTED' });
    const subject_id = said.createSubject?.id;
    expect(said.openMySession).toMatchObject({ subject_id, environment: 'test' });
    expect(said.completeMySignIn).toMatchObject({
      subject_id: said.signs_in?.id,
      environment: 'test',
    });
  }, 180_000);
});

test('no operation is left out', () => {
  const run = new Set([...STEPS, ...STEPS_OF_PEOPLE].map(([id]) => id));
  expect([...operations.keys()].filter((id) => !run.has(id))).toEqual([]);
});
