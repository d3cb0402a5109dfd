import { randomUUID } from 'node:crypto';
import { Client, enrol, type Json, logIn, type Member } from '@credit/local/demo/client';
import { type Receiver, verifies } from '@credit/local/demo/receiver';
import type { System } from '@credit/local/spawned-system';
import { codeFrom } from './authenticator';
import { eventually } from './eventually';
import { signInAt } from './identity-provider';
import { runSql } from './postgres';

/** An operation as the document describes it. */
interface Documented {
  readonly method: string;
  readonly path: string;
  readonly body: Json | undefined;
  readonly file: { readonly type: string; readonly text: string } | undefined;
}

interface Given {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  /** What stands in place of the documented body's fields. */
  readonly own?: Json;
  /** In place of the documented file. */
  readonly text?: string;
}

function fileOf(content: Json | undefined): Documented['file'] {
  const type = 'application/x-ndjson';
  const text = content?.[type]?.example;
  return text === undefined ? undefined : { type, text };
}

/** The operations of the document that show an answer, with it. */
export function answersIn(document: Json): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const methods of Object.values(document.paths as Json)) {
    for (const { operationId, responses } of Object.values(methods as Json)) {
      const success = responses['201'] ?? responses['202'] ?? responses['200'];
      const answer = success?.content?.['application/json']?.example;
      if (answer !== undefined) found.set(operationId, answer);
    }
  }
  return found;
}

/**
 * The documented requests, carried out on live data: Harbour Lending joins the network; a borrower
 * with a card and a car at another lender gets its loan; it reports the first payment, looks, asks
 * what a further payment would do, is told of a default elsewhere, and mends what is disputed.
 */
export class Story {
  /** What each operation has answered first, by its id. */
  readonly said: Record<string, Json> = {};
  readonly #documented = new Map<string, Documented>();
  readonly #anonymous: Client;

  constructor(
    readonly system: System,
    /** Where webhooks go: what it answers next is for `failing` to say. */
    readonly receiver: Receiver,
    readonly failing: (is: boolean) => void,
    document: Json,
  ) {
    this.#anonymous = new Client(system.base_url);
    for (const [path, methods] of Object.entries(document.paths as Json)) {
      for (const [method, operation] of Object.entries(methods as Json)) {
        this.#documented.set(operation.operationId, {
          method: method.toUpperCase(),
          path,
          body: operation.requestBody?.content['application/json']?.example,
          file: fileOf(operation.requestBody?.content),
        });
      }
    }
  }

  /** Carries out an operation as documented, with ids of this system. */
  async #ask(
    id: string,
    client: Client,
    { params = {}, query, own, text }: Given = {},
  ): Promise<Json> {
    const operation = this.#documented.get(id);
    if (operation === undefined) throw new Error(`There is no operation ${id}.`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => String(params[name]));
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const body = operation.body && { ...structuredClone(operation.body), ...own };
    const answer = await client.request(operation.method, `${path}${search}`, {
      ...(operation.file === undefined
        ? { body }
        : { file: { ...operation.file, ...(text === undefined ? {} : { text }) } }),
      headers: operation.method === 'POST' ? { 'idempotency-key': `example-${id}` } : {},
    });
    if (![200, 201, 202, 204].includes(answer.status)) {
      throw new Error(`${id}: ${answer.status} ${answer.text}`);
    }
    return answer.body;
  }

  /** Carries it out and keeps the answer. */
  async #say(id: string, client: Client, given?: Given): Promise<Json> {
    this.said[id] = await this.#ask(id, client, given);
    return this.said[id];
  }

  /** The same once the answer is as it has to be. */
  async #sayOnce(
    id: string,
    client: Client,
    is: (answer: Json) => boolean,
    given?: Given,
  ): Promise<Json> {
    this.said[id] = await eventually(() => this.#ask(id, client, given), is);
    return this.said[id];
  }

  async tell(): Promise<Record<string, Json>> {
    const { email, password } = this.system.superadmin;
    const administrator = await logIn(this.#anonymous, email, password);
    const quay = await enrol(this.#anonymous, administrator, 'Quay Bank');
    await this.#writesToTheNetwork(administrator);
    const owner = await this.#joins(administrator);
    await this.#invites(owner);
    const harbour = await this.#getsKeys(owner);
    const subject_id = await this.#lends(harbour, quay);
    await this.#looks(harbour, subject_id);
    await this.#isToldOfDefault(harbour, quay, subject_id);
    await this.#letsThePersonIn(harbour, subject_id, administrator);
    await this.#hasMore(harbour, subject_id);
    await this.#sendsFiles(harbour);
    await this.#mendsWhatIsDisputed(administrator, harbour);
    await this.#mendsMixedFiles(administrator, harbour);
    await this.#triesTheSandbox(owner);
    await this.#provesItsLogs(owner, harbour, administrator);
    await this.#runsTheNetwork(administrator, owner);
    return this.said;
  }

  async #writesToTheNetwork(administrator: Client): Promise<void> {
    await this.#say('getStatus', this.#anonymous);
    const { id } = await this.#say('submitContactRequest', this.#anonymous);
    await this.#say('listContactRequests', administrator, { query: { status: 'OPEN' } });
    await this.#say('answerContactRequest', administrator, { params: { contact_request_id: id } });
  }

  /** From the application to the owner's session. */
  async #joins(administrator: Client): Promise<Client> {
    const { id } = await this.#say('submitApplication', this.#anonymous);
    const params = { application_id: id };
    await this.#say('listApplications', administrator, { query: { status: 'PENDING' } });
    await this.#say('reviewApplication', administrator, { params });
    const { token } = await this.#say('resendInvitation', administrator, { params });
    await this.#say('previewInvitation', this.#anonymous, { own: { token } });
    await this.#say('acceptInvitation', this.#anonymous, { own: { token } });
    const { refresh_token } = await this.#say('login', this.#anonymous);
    const { access_token } = await this.#say('refresh', this.#anonymous, {
      own: { refresh_token },
    });
    const owner = this.#anonymous.as(access_token);
    await this.#say('getCaller', owner);
    await this.#say('listSessions', owner);
    await this.#say('getOwnInstitution', owner);
    await this.#hasSecondFactor(owner);
    return owner;
  }

  /** Set up, signed in with, and removed again: the rest of the story signs in without. */
  async #hasSecondFactor(owner: Client): Promise<void> {
    const { secret } = await this.#say('beginSecondFactor', owner);
    await this.#say('confirmSecondFactor', owner, { own: { code: codeFrom(secret, -1) } });
    const { challenge } = await this.#ask('login', this.#anonymous);
    await this.#say('completeLogin', this.#anonymous, {
      own: { challenge, code: codeFrom(secret) },
    });
    const { recovery_codes } = await this.#say('renewRecoveryCodes', owner, {
      own: { code: codeFrom(secret, 1) },
    });
    await this.#ask('removeSecondFactor', owner, { own: { recovery_code: recovery_codes[0] } });
  }

  /** A developer, who then is to look only. */
  async #invites(owner: Client): Promise<void> {
    const { token } = await this.#say('createInvitation', owner);
    await this.#say('listInvitations', owner);
    const dev = await this.#ask('acceptInvitation', this.#anonymous, {
      own: { token, display_name: 'Dev' },
    });
    await this.#say('listMembers', owner, { query: { q: 'dev' } });
    await this.#say('updateMember', owner, { params: { user_id: dev.id } });
  }

  /** The documented key, another in its place, and one for everything on live data. */
  async #getsKeys(owner: Client): Promise<Client> {
    const { id } = await this.#say('createApiKey', owner);
    await this.#say('listApiKeys', owner);
    await this.#say('rotateApiKey', owner, { params: { key_id: id } });
    return this.#keyFor(owner, 'live');
  }

  /** By a link of the lender, and by the identity provider. */
  async #letsThePersonIn(
    harbour: Client,
    subject_id: string,
    administrator: Client,
  ): Promise<void> {
    const params = { subject_id };
    const { token } = await this.#say('createAccessLink', harbour, { params });
    const { access_token } = await this.#say('openMySession', this.#anonymous, { own: { token } });
    const person = this.#anonymous.as(access_token);
    await this.#guardsTheFile(harbour, person, subject_id);
    await this.#say('setMyContact', person);
    await this.#say('getMyContact', person);
    await this.#ask('removeMyContact', person);
    await this.#say('getMyFile', person);
    await this.#say('listMyAccountEvents', person, {
      params: { account_id: this.said.createAccount?.id },
    });
    await this.#contestsTheFile(person, administrator);
    await this.#ask('endMySession', person);
    const { sign_in_token, authorization_url } = await this.#say('beginMySignIn', this.#anonymous);
    const answer = await signInAt(authorization_url, this.said.createSubject?.game_uuid);
    await this.#say('completeMySignIn', this.#anonymous, { own: { sign_in_token, ...answer } });
  }

  /** A late payment on the card, which was none. */
  async #contestsTheFile(person: Client, administrator: Client): Promise<void> {
    const accounts: Json[] = this.said.getMyFile?.file.accounts;
    const events: Json[] = accounts.flatMap((account) => account.events);
    const late = events.find(({ event_type }) => event_type === 'PAYMENT_LATE');
    const { id: dispute_id } = await this.#say('openMyDispute', person, {
      own: { credit_event_id: late?.id },
    });
    const params = { dispute_id };
    await this.#ask('moveDispute', administrator, { params });
    await this.#say('listMyDisputes', person);
    await this.#say('getMyDispute', person, { params });
  }

  /** Frozen, opened to the lender, with an alert and a statement; in the end as it was. */
  async #guardsTheFile(harbour: Client, person: Client, subject_id: string): Promise<void> {
    await this.#say('placeMyFreeze', person);
    const look = { subject_id, purpose: 'REFINANCING' };
    await harbour.expect(403, 'POST', '/inquiries', { body: look });
    const own = { institution_id: this.said.getOwnInstitution?.id };
    const thaw = await this.#say('placeMyThaw', person, { own });
    await this.#say('getMyFreeze', person);
    await this.#ask('withdrawMyThaw', person, { params: { thaw_id: thaw.id } });
    await this.#ask('liftMyFreeze', person);
    const alert = await this.#say('placeMyAlert', person);
    await this.#say('listMyAlerts', person);
    await this.#ask('removeMyAlert', person, { params: { alert_id: alert.id } });
    const record = { params: { record_id: String(this.said.reportEvent?.id) } };
    await this.#say('setMyStatement', person, record);
    await this.#say('listMyStatements', person);
    await this.#ask('removeMyStatement', person, record);
  }

  async #keyFor(owner: Client, environment: 'live' | 'test'): Promise<Client> {
    const { secret } = await owner.create('/api-keys', {
      display_name: 'ledger',
      scopes: [
        'credit:read',
        'credit:report',
        'accounts:write',
        'events:write',
        'reports:request',
        'webhooks:manage',
      ],
      environment,
    });
    return this.#anonymous.as(secret);
  }

  /** The subject, its past elsewhere, the loan and the first payment. */
  async #lends(harbour: Client, quay: Member): Promise<string> {
    const { id: subject_id, game_uuid } = await this.#say('createSubject', harbour);
    await this.#say('createSubjects', harbour);
    await this.#say('getSubject', harbour, { params: { subject_id } });
    await this.#say('getSubjectByGameUuid', harbour, { params: { game_uuid } });
    await this.#say('searchSubjects', harbour, { query: { q: 'stone' } });
    await this.#pastOf(quay.key, subject_id);
    await this.#say('recordInquiry', harbour, { own: { subject_id } });
    const { id: account_id } = await this.#say('createAccount', harbour, { own: { subject_id } });
    const params = { account_id };
    await this.#say('reportEvent', harbour, { params });
    await this.#say('getAccount', harbour, { params });
    await this.#say('getAccountPayments', harbour, { params });
    await this.#say('listAccountEvents', harbour, { params, query: { with_standing: 'true' } });
    await this.#say('previewEvent', harbour, {
      params,
      own: { supersedes_event_id: this.said.reportEvent?.id },
    });
    return subject_id;
  }

  /** A card with one late payment, and a loan that is nearly paid back. */
  async #pastOf(quay: Client, subject_id: string): Promise<void> {
    const account = {
      subject_id,
      external_account_id: 'card-1',
      account_type: 'CREDIT_CARD',
      original_principal: 5000,
      current_balance: 900,
      opened_at: '2023-03-15T00:00:00Z',
    };
    const loan = {
      ...account,
      external_account_id: 'car-1',
      account_type: 'AUTO_LOAN',
      original_principal: 8000,
      current_balance: 1850,
    };
    const { accounts } = await quay.create(
      '/accounts/bulk',
      { accounts: [account, loan] },
      'quay-accounts',
    );
    const [card, car] = accounts as Json[];
    const months = Array.from({ length: 14 }, (_, at) => {
      const occurred_at = new Date(Date.UTC(2025, 1 + at, 15, 9)).toISOString();
      const paid = { event_type: 'PAYMENT_MADE', occurred_at, amount: 60 };
      const late = [
        { event_type: 'PAYMENT_LATE', occurred_at },
        { event_type: 'ACCOUNT_CURRENT', occurred_at: '2025-07-27T09:00:00Z' },
      ];
      return [
        { credit_account_id: car?.id, ...paid },
        ...(at === 5 ? late : [paid]).map((event) => ({ credit_account_id: card?.id, ...event })),
      ];
    });
    await quay.create('/events/bulk', { events: months.flat() }, 'quay-events');
  }

  async #looks(harbour: Client, subject_id: string): Promise<void> {
    const params = { subject_id };
    const purpose = 'NEW_CREDIT_APPLICATION';
    const { credit } = await this.#say('getCreditProfile', harbour, { params, query: { purpose } });
    await this.#say('listInquiries', harbour, { query: { subject_id } });
    const snapshots = (await this.#sayOnce(
      'listSnapshots',
      harbour,
      (found) => found.length === 2 && found[0].score === credit.score,
      { params, query: { purpose: 'ACCOUNT_REVIEW', limit: '2' } },
    )) as unknown as Json[];
    const [latest, earlier] = snapshots;
    await this.#say('diffSnapshots', harbour, {
      params: { ...params, snapshot_id: String(earlier?.id) },
      query: { to: String(latest?.id) },
    });
    const simulated = structuredClone(this.#documented.get('simulateCredit')?.body?.events);
    for (const event of simulated) event.account_id = this.said.createAccount?.id;
    await this.#say('simulateCredit', harbour, { params, own: { events: simulated } });
    const report = await this.#say('createReport', harbour, { own: { subject_id } });
    await this.#sayOnce('getReport', harbour, ({ status }) => status === 'READY', {
      params: { report_id: report.id },
    });
    const { inquiry_id } = this.said.getCreditProfile ?? {};
    await this.#say('createNotice', harbour, { params: { inquiry_id: String(inquiry_id) } });
    await this.#say('listReports', harbour, { query: { subject_id } });
    await this.#say('getReportingHealth', harbour);
    await this.#say('getReportingHealthAccounts', harbour, { query: { metric: 'COVERAGE' } });
    // A thing without a name is none: it is on the list a moment later.
    const refused = await harbour.request('POST', '/subjects', { body: { type: 'INDIVIDUAL' } });
    if (refused.status !== 422) throw new Error(`It was not refused: ${refused.text}`);
    await this.#sayOnce('getReportingHealthRejections', harbour, ({ length }) => length > 0);
    await this.#sayOnce('getReportingHealthByDay', harbour, (days) => days[0]?.score != null);
  }

  /** The card of the other lender ends in default; the feed and a webhook say so. */
  async #isToldOfDefault(harbour: Client, quay: Member, subject_id: string): Promise<void> {
    const own = { url: `${this.receiver.url}/credit` };
    const { id: webhook_id, secret } = await this.#say('createWebhook', harbour, { own });
    const params = { webhook_id };
    await this.#say('testWebhook', harbour, { params, query: { deliver: 'true' } });
    const [test] = this.receiver.received;
    if (test === undefined || !verifies(test, secret)) throw new Error('No signed test has come.');
    this.failing(true);
    const [card] = await quay.key.get<Json[]>('/accounts?external_account_id=card-1');
    await quay.key.create(
      `/accounts/${card?.id}/events`,
      { event_type: 'DEFAULT_REPORTED', occurred_at: '2026-05-20T00:00:00Z' },
      'card-1-default',
    );
    await this.#sayOnce('listFeed', harbour, (feed) => feed[0]?.data.subject_id === subject_id, {
      query: { type: 'credit.default.reported', limit: '1' },
    });
    const deliveries = await this.#sayOnce(
      'listDeliveries',
      harbour,
      (found) => found[0]?.attempts === 1 && found[0].next_attempt_at !== null,
      { params },
    );
    const delivery = { params: { delivery_id: deliveries[0].id } };
    await this.#say('listAttempts', harbour, delivery);
    await this.#say('listWebhooks', harbour);
    this.failing(false);
    await this.#say('retryDelivery', harbour, delivery);
    await eventually(
      () => this.#ask('listDeliveries', harbour, { params }),
      (found) => found[0]?.status === 'DELIVERED',
    );
    await this.#say('updateWebhook', harbour, { params, own });
    const hour_ms = 3_600_000;
    await this.#say('replayDeliveries', harbour, {
      params,
      own: {
        from: new Date(Date.now() - hour_ms).toISOString(),
        to: new Date().toISOString(),
      },
    });
    await this.#say('rotateWebhookSecret', harbour, { params });
  }

  /** A second account, the next payment, and what the book comes to. */
  async #hasMore(harbour: Client, subject_id: string): Promise<void> {
    const bodyOf = (id: string) => this.#documented.get(id)?.body;
    const accounts = bodyOf('createAccounts')?.accounts.map((one: Json) => ({
      ...one,
      subject_id,
    }));
    await this.#say('createAccounts', harbour, { own: { accounts } });
    const credit_account_id = this.said.createAccount?.id;
    const events = bodyOf('reportEvents')?.events.map((one: Json) => ({
      ...one,
      credit_account_id,
    }));
    await this.#say('reportEvents', harbour, { own: { events } });
    await this.#say('listAccounts', harbour, { query: { status: 'CURRENT' } });
    await this.#say('getAccountSummary', harbour);
    await reportedDaysAgo(this.system, 'live', subject_id);
    await this.#say('updateSubject', harbour, { params: { subject_id } });
  }

  /** A file that is written, one with a fault, one that is only checked, and one in parts. */
  async #sendsFiles(harbour: Client): Promise<void> {
    const query = { kind: 'EVENTS' };
    const paramsOf = ({ id }: Json) => ({ params: { import_id: id } });
    const text = String(this.#documented.get('createImport')?.file?.text);
    const first = await this.#say('createImport', harbour, { query });
    await this.#sayOnce('getImport', harbour, hasEnded, paramsOf(first));

    const faulty = await this.#ask('createImport', harbour, {
      query,
      text: text.replace('loan-2026-00017', 'loan-2025-00017'),
    });
    const faults = ({ length }: Json) => length === 1;
    await this.#sayOnce('listImportFaults', harbour, faults, paramsOf(faulty));

    const checked = await this.#ask('createImport', harbour, {
      query: { ...query, dry_run: 'true' },
      text: text.replace('2026-04-01', '2026-05-01').replace('ledger-90417', 'ledger-91033'),
    });
    const isChecked = ({ state }: Json) => state === 'CHECKED';
    await eventually(() => this.#ask('getImport', harbour, paramsOf(checked)), isChecked);
    await this.#say('startImport', harbour, paramsOf(checked));

    const partial = 'true';
    const begun = await this.#ask('createImport', harbour, { query: { ...query, partial } });
    await this.#say('continueImport', harbour, {
      ...paramsOf(begun),
      query: { from_bytes: String(begun.received_bytes), partial },
    });
    await this.#say('cancelImport', harbour, paramsOf(begun));
    await this.#say('listImports', harbour, { query: { limit: '2' } });
    const named = { params: { name: 'loan-ledger' } };
    await this.#say('saveImportMapping', harbour, named);
    await this.#say('getImportMapping', harbour, named);
    await this.#say('listImportMappings', harbour);
  }

  async #mendsWhatIsDisputed(administrator: Client, harbour: Client): Promise<void> {
    const { createSubject, reportEvent, createAccount } = this.said;
    const { id, access_token } = await this.#say('openDispute', this.#anonymous, {
      own: {
        subject_id: createSubject?.id,
        credit_event_id: reportEvent?.id,
        reported_institution_id: createAccount?.institution_id,
      },
    });
    const params = { dispute_id: id };
    await this.#say('getOpenedDispute', this.#anonymous.as(access_token), { params });
    await this.#sayOnce('listDisputes', harbour, ({ length }) => length === 1, {
      query: { status: 'OPEN' },
    });
    // Reporting hears of a dispute a moment later.
    const isCounted = ({ record }: Json) => record.contested_events[0].open_dispute_count === 1;
    await this.#sayOnce('getDispute', harbour, isCounted, { params });
    await this.#say('answerDispute', harbour, { params });
    await this.#say('getDisputeRecord', administrator, { params });
    await this.#say('moveDispute', administrator, { params });
  }

  async #mendsMixedFiles(administrator: Client, harbour: Client): Promise<void> {
    const { id: other_subject_id } = await harbour.create('/subjects', {
      type: 'INDIVIDUAL',
      game_uuid: randomUUID(),
      current_username: 'stone.cutter',
    });
    const params = { subject_id: this.said.createSubject?.id };
    const { id: move_id } = await this.#say('mergeSubjects', administrator, {
      params,
      own: { other_subject_id },
    });
    await this.#say('splitSubject', administrator, { params, own: { move_id } });
    await this.#say('listSubjectMoves', administrator, { params });
  }

  async #triesTheSandbox(owner: Client): Promise<void> {
    const test = await this.#keyFor(owner, 'test');
    await this.#say('createPersona', test);
    const { id: subject_id } = await test.create('/subjects', {
      type: 'INDIVIDUAL',
      game_uuid: randomUUID(),
      current_username: 'mason',
    });
    const { id: account_id } = await this.#ask('createAccount', test, { own: { subject_id } });
    const { id: credit_event_id } = await this.#ask('reportEvent', test, {
      params: { account_id },
    });
    const { id: dispute_id } = await this.#say('openSandboxDispute', test, {
      own: { credit_event_id },
    });
    await this.#say('moveSandboxDispute', test, { params: { dispute_id } });
    await this.#ask('recordInquiry', test, { own: { subject_id } });
    await this.#say('clearSandbox', test);
  }

  async #provesItsLogs(owner: Client, harbour: Client, administrator: Client): Promise<void> {
    await this.#say('listAuditKeys', this.#anonymous);
    const params = {
      account_id: this.said.createAccount?.id,
      event_id: this.said.reportEvent?.id,
    };
    await this.#sayOnceFound('proveEvent', harbour, { params });
    for (const [log, client, action] of [
      ['Audit', owner, 'api_key.created'],
      ['NetworkAudit', administrator, 'application.approved'],
    ] as const) {
      const events = await this.#say(`list${log}Events`, client, { query: { action, limit: '1' } });
      const id = events[0]?.id;
      if (id === undefined) throw new Error(`Nothing in the log is ${action}.`);
      await this.#sayOnceFound(`prove${log}Event`, client, { params: { id } });
      const checkpoints = await this.#sayOnce(
        `list${log}Checkpoints`,
        client,
        ({ length }) => length === 2,
        { query: { limit: '2' } },
      );
      const [newer, older] = checkpoints as unknown as Json[];
      await this.#say(`prove${log}Consistency`, client, {
        query: { from: String(older?.size), to: String(newer?.size) },
      });
    }
  }

  /** What a checkpoint covers a moment later. */
  #sayOnceFound(id: string, client: Client, given: Given): Promise<Json> {
    const ask = () => this.#ask(id, client, given).catch(() => ({}) as Json);
    return eventually(ask, ({ checkpoint }) => checkpoint !== undefined).then((answer) => {
      this.said[id] = answer;
      return answer;
    });
  }

  async #runsTheNetwork(administrator: Client, owner: Client): Promise<void> {
    await this.#say('getNetworkStats', this.#anonymous);
    await this.#say('getNetworkMetrics', administrator);
    await this.#say('getNetworkTraffic', administrator);
    await this.#say('listMemberInstitutions', this.#anonymous);
    const institution_id = this.said.getOwnInstitution?.id;
    await this.#say('listInstitutions', administrator, { query: { q: 'harbour' } });
    await this.#say('getInstitution', administrator, { params: { institution_id } });
    await this.#say('getInstitutionHealth', administrator, { params: { institution_id } });
    await this.#say('getInstitutionHealthAccounts', administrator, {
      params: { institution_id },
      query: { metric: 'COVERAGE' },
    });
    await this.#say('getInstitutionHealthRejections', administrator, {
      params: { institution_id },
    });
    await this.#say('getInquiryPurposes', administrator, { params: { institution_id } });
    await this.#say('createInstitution', administrator);
    await this.#say('listUsers', administrator, { query: { q: 'ada' } });
    const { user } = await this.#say('createUser', administrator, { own: { institution_id } });
    const params = { user_id: user.id };
    await this.#say('updateUser', administrator, { params });
    await this.#say('resetPassword', administrator, { params });
    await this.#say('updateOwnInstitution', owner);
    await this.#say('revokeSessions', administrator, {
      params: { user_id: this.said.getCaller?.id },
    });
    await this.#say('updateInstitution', administrator, { params: { institution_id } });
  }
}

const hasEnded = ({ finished_at }: Json) => finished_at !== null;

/** Names change a day after the first report about a subject, which no request can wait for. */
export async function reportedDaysAgo(
  system: System,
  environment: 'live' | 'test',
  subject_id: string,
): Promise<void> {
  await runSql(
    system,
    // The path is for the triggers, which name their tables alone.
    `WITH path AS MATERIALIZED (SELECT set_config('search_path', 'reporting_${environment}', true))
     UPDATE reporting_${environment}.accounts SET created_at = created_at - interval '2 days'
     FROM path WHERE subject_id = $1`,
    [subject_id],
  );
}
