import { myFileContent, type Operation, type OperationId, operations } from '@credit/contract';
import { type FakeServices, INSTITUTION_ID } from './fake-services';
import { ADMIN_TOKEN, API_KEY, DISPUTE_TOKEN, PERSON_TOKEN, USER_TOKEN } from './gateway';
import type { Sent } from './http-client';

type Message = Record<string, unknown>;

/** What a method answers, given what the operation's example is inside. */
type Answers = (inside: never) => Record<string, unknown>;

function split(inside: Message, ...names: string[]): [Message, Message] {
  const taken: Message = {};
  const rest: Message = { ...inside };
  for (const name of names) {
    taken[name] = rest[name];
    delete rest[name];
  }
  return [taken, rest];
}

/** A dispute with what stands beside it. */
function disputeCase(inside: Message, ...more: string[]): Message {
  const [{ record, ...beside }, dispute] = split(inside, 'record', 'steps', 'answers', ...more);
  const { accounts, ...shown } = record as Message;
  // None is the empty text there.
  const bare = (accounts as Message[]).map((account) => ({ ...account, metadata_json: '' }));
  return { dispute, ...beside, record: { ...shown, accounts: bare } };
}

const page = (name: string) => (items: Message[]) => ({
  [name]: items,
  next_cursor: 'next/page=2',
  total_count: 41,
});

const credit_profile = (inside: Message) => {
  const [, profile] = split(inside, 'inquiry_id');
  return { getProfile: { ...profile, subject_version: 7 } };
};

const NO_RIGHTS = { thaws: [], alerts: [], statements: [] };

const own_rights = (name: string) => (items: Message[]) => ({
  rights: { ...NO_RIGHTS, [name]: items },
  refused_inquiries: [],
});

const own_freeze = ({ frozen_since, thaws, refused_inquiries }: Message) => ({
  rights: { ...NO_RIGHTS, frozen_since, thaws },
  refused_inquiries,
});
/** What the services know of the file that the text is of. */
const myFile = ({ file_json, generated_at }: Message) => {
  const content = myFileContent.parse(JSON.parse(file_json as string));
  const { score, file_freeze, alerts, statements, ...file } = content;
  const { reason_codes, ...credit } = score;
  const subject_id = file.subject.id;
  const institutions = [
    ...file.accounts.map(({ furnisher }) => furnisher),
    ...file.inquiries.map(({ institution }) => institution),
    ...file.corrections.flatMap(({ told }) => told.map(({ institution }) => institution)),
  ];
  return {
    getPersonFile: {
      ...file,
      accounts: file.accounts.map(({ furnisher, events, credit_limit_minor, ...account }) => ({
        account: {
          ...account,
          subject_id,
          institution_id: furnisher.id,
          version: events.length,
          metadata_json: '',
        },
        credit_limit_minor,
        events,
        next_cursor: account.next_cursor,
      })),
      inquiries: file.inquiries.map(({ institution, ...inquiry }) => ({
        ...inquiry,
        subject_id,
        institution_id: institution.id,
      })),
      corrections: file.corrections.map(({ told, ...correction }) => ({
        ...correction,
        told: told.map(({ institution, at }) => ({ institution_id: institution.id, at })),
      })),
      rights: { ...file_freeze, alerts, statements },
    },
    getPersonScore: { credit: { ...credit, calculated_at: generated_at }, reason_codes },
    nameInstitutions: { names: institutions },
  };
};

const profile = (inside: Message) => {
  const { institution, permissions, test_permissions, recovery_codes_left, ...rest } = inside;
  const { type: _, ...user } = rest;
  return {
    recovery_codes_left,
    user: { status: 'ACTIVE', created_at: '2026-01-01T00:00:00.000Z', ...user },
    institution,
    permissions,
    test_permissions,
  };
};

const session = (inside: Message) => {
  const { user, access_token, refresh_token, expires_in } = inside;
  return { tokens: { access_token, refresh_token, expires_in }, user: profile(user as Message) };
};

const with_secret = (name: string) => (inside: Message) => {
  const [{ secret }, rest] = split(inside, 'secret');
  return { [name]: { created_at: '2026-01-01T00:00:00.000Z', ...rest }, secret };
};

const auditPage = (items: Message[]) =>
  page('events')(
    items.map(({ actor, target, ...event }) => ({
      ...event,
      actor_type: (actor as Message).type,
      actor_id: (actor as Message).id,
      actor_name: (actor as Message).name,
      target_type: (target as Message).type,
      target_id: (target as Message).id,
      target_name: (target as Message).name,
    })),
  );

const only = (method: string, answer: (inside: never) => unknown) => (inside: never) => ({
  [method]: answer(inside),
});
const wrapped = (name: string) => (inside: Message) => ({ [name]: inside });
const same = (inside: Message) => inside;
const nothing = () => ({});

/** Counts as services say them. */
const bigCounts = (inside: Message): Message =>
  Object.fromEntries(
    Object.entries(inside).map(([name, value]) => [
      name,
      name.endsWith('_count') ? BigInt(value as number) : value,
    ]),
  );

const fromHex = (hash: unknown) => Buffer.from(hash as string, 'hex');
const checkpoint = ({ root_hash, size, ...rest }: Message) => ({
  ...rest,
  size: BigInt(size as number),
  root_hash: fromHex(root_hash),
});
const checkpoints = (items: Message[]) => page('checkpoints')(items.map(checkpoint));
const inclusion = (inside: Message) => ({
  entry: inside.entry,
  index: BigInt(inside.index as number),
  path: (inside.path as string[]).map(fromHex),
});
const proof = (inside: Message) => ({
  ...inclusion(inside),
  checkpoint: checkpoint(inside.checkpoint as Message),
});
const consistency = (inside: Message) => ({ path: (inside.path as string[]).map(fromHex) });

const importOf = ({ created_by, ...inside }: Message) => {
  const { type, id } = created_by as Message;
  return {
    import: {
      ...inside,
      received_bytes: BigInt(inside.received_bytes as number),
      created_by_type: type,
      created_by_id: id,
    },
  };
};

/** By operation: the services' methods and what they say, so that the example comes out. */
const ANSWERS: Record<OperationId, Answers> = {
  createSubject: only('createSubject', wrapped('subject')),
  createSubjects: only('createSubjects', ({ subjects }: { subjects: Message[] }) => ({
    subjects: subjects.map(({ status, ...subject }) => ({
      ...subject,
      outcome: (status as string).toUpperCase(),
    })),
  })),
  searchSubjects: only('searchSubjects', page('subjects')),
  getSubject: only('getSubject', wrapped('subject')),
  updateSubject: only('updateSubject', wrapped('subject')),
  getSubjectByGameUuid: only('getSubjectByGameUuid', wrapped('subject')),
  createAccessLink: (inside: Message) => ({
    requireFurnisher: { subject_id: '0198a1c5-2d11-7b3c-8e44-5a6b7c8d9e01' },
    createAccessLink: { id: '0198a1c5-5f44-7d4e-8a77-8d9e0f1a2b34', ...inside },
  }),
  openMySession: only('openAccessLink', wrapped('tokens')),
  getMyFreeze: only('getFileRights', own_freeze),
  placeMyFreeze: (inside: Message) => ({ placeFreeze: {}, getFileRights: own_freeze(inside) }),
  liftMyFreeze: only('liftFreeze', nothing),
  placeMyThaw: (thaw: Message) => ({
    nameInstitutions: { names: [{ id: thaw.institution_id, name: 'Lantern Credit' }] },
    placeThaw: { thaw },
  }),
  withdrawMyThaw: only('withdrawThaw', nothing),
  listMyAlerts: only('getFileRights', own_rights('alerts')),
  placeMyAlert: only('placeAlert', wrapped('alert')),
  removeMyAlert: only('removeAlert', nothing),
  listMyStatements: only('getFileRights', own_rights('statements')),
  setMyStatement: only('setStatement', wrapped('statement')),
  removeMyStatement: only('removeStatement', nothing),
  endMySession: only('endPersonSession', nothing),
  getMyContact: only('getPersonContact', wrapped('contact')),
  setMyContact: only('setPersonContact', wrapped('contact')),
  confirmMyContact: only('confirmPersonContact', nothing),
  removeMyContact: only('removePersonContact', nothing),
  beginMySignIn: only('beginPersonSignIn', same),
  completeMySignIn: (inside: Message) => ({
    provePersonSignIn: {
      kind: 'game_uuid',
      value: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
      environment: 'live',
    },
    identifyPerson: { subject_id: inside.subject_id },
    completePersonSignIn: { tokens: inside },
  }),
  getMyFile: myFile,
  getMyFileDocument: () => ({
    ...exampleAnswers(declaredAs('getMyFile')),
    writePersonFile: { pdf: Buffer.from('%PDF-1.3') },
  }),
  listMyAccountEvents: only('listPersonEvents', page('events')),
  openMyDispute: only('openPersonDispute', wrapped('dispute')),
  listMyDisputes: only('listPersonDisputes', page('disputes')),
  getMyDispute: (inside: Message) => {
    const [{ changes, steps, told }, dispute] = split(inside, 'changes', 'steps', 'told');
    const tellings = told as { institution: { id: string; name: string } }[];
    return {
      getPersonDispute: {
        dispute,
        changes,
        steps,
        told: tellings.map(({ institution, ...rest }) => ({
          ...rest,
          institution_id: institution.id,
        })),
      },
      nameInstitutions: { names: tellings.map(({ institution }) => institution) },
    };
  },
  recordInquiry: only('recordInquiry', (inside: Message) => ({
    inquiry: { institution_id: INSTITUTION_ID, ...inside },
    profile_version: 7,
    alerts: [],
    statements: [],
  })),
  listInquiries: only('listInquiries', page('inquiries')),
  getCreditProfile: credit_profile,
  listSnapshots: only('listSnapshots', page('snapshots')),
  diffSnapshots: only('diffSnapshots', same),
  simulateCredit: only('simulateProfile', same),
  createReport: only('createReport', wrapped('report')),
  createNotice: (inside: Message) => ({
    getCaller: {
      institution: {
        id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
        name: 'Harbour Loans',
        status: 'ACTIVE',
        publicly_listed: true,
        created_at: '2026-01-01T00:00:00.000Z',
      },
    },
    createNotice: { report: inside },
  }),
  listReports: only('listReports', page('reports')),
  getReport: only('getReport', wrapped('report')),
  getReportDocument: () => ({ openReportDocument: { ticket: 'live.ticket' } }),
  createAccount: only('createAccount', wrapped('account')),
  createAccounts: only('createAccounts', same),
  listAccounts: only('listAccounts', page('accounts')),
  exportAccounts: () => ({ listAccounts: { accounts: [] } }),
  getAccountSummary: only('getAccountSummary', ({ groups, ...counts }: Message) => ({
    ...bigCounts(counts),
    groups: (groups as Message[]).map(bigCounts),
  })),
  getAccount: only('getAccount', wrapped('account')),
  getAccountPayments: only('getAccountPayments', same),
  reportEvent: only('reportEvent', wrapped('event')),
  previewEvent: only('previewEvent', same),
  reportEvents: only('reportEvents', same),
  listAccountEvents: only('listAccountEvents', page('events')),
  createImport: (inside: Message) => ({
    beginImport: importOf(inside),
    appendToImport: { received_bytes: 1n },
    completeImport: importOf(inside),
    cancelImport: importOf(inside),
  }),
  listImports: only('listImports', (items: Message[]) =>
    page('imports')(items.map((item) => importOf(item).import)),
  ),
  getImport: only('getImport', importOf),
  continueImport: (inside: Message) => ({
    getImport: importOf(inside),
    appendToImport: { received_bytes: 1n },
    completeImport: importOf(inside),
  }),
  listImportFaults: only('listImportFaults', (rows: Message[]) => ({
    ...page('rows')(rows),
    format: 'CSV',
    columns: [],
  })),
  getImportFaultsFile: () => ({
    listImportFaults: { rows: [], format: 'CSV', columns: ['external_account_id'] },
  }),
  startImport: (inside: Message) => ({
    getImport: importOf(inside),
    startImport: importOf(inside),
  }),
  cancelImport: only('cancelImport', importOf),
  saveImportMapping: only('saveImportMapping', wrapped('mapping')),
  listImportMappings: only('listImportMappings', page('mappings')),
  getImportMapping: only('getImportMapping', wrapped('mapping')),
  deleteImportMapping: only('deleteImportMapping', () => ({})),
  openDispute: only('openDispute', (inside: Message) => {
    const [{ access_token }, dispute] = split(inside, 'access_token');
    return { dispute, access_token };
  }),
  getOpenedDispute: only('getOpenedDispute', wrapped('dispute')),
  moveDispute: only('moveDispute', (inside: Message) => {
    const [{ preview }, dispute] = split(inside, 'preview');
    return { dispute, preview };
  }),
  getDisputeRecord: only('getDisputeRecord', (inside: Message) =>
    disputeCase(inside, 'related', 'inquiries', 'has_more_inquiries'),
  ),
  getDispute: only('getDispute', (inside: Message) => disputeCase(inside)),
  answerDispute: only('answerDispute', wrapped('answer')),
  listDisputes: only('listDisputes', page('disputes')),
  createPersona: only('createPersona', same),
  openSandboxDispute: only('openSandboxDispute', wrapped('dispute')),
  moveSandboxDispute: only('moveSandboxDispute', wrapped('dispute')),
  clearSandbox: ({ done, disputes, ...cleared }: Message) => ({
    rejectSandboxDisputes: { done, disputes },
    clearSandbox: { done, ...cleared },
  }),
  createWebhook: only('createSubscription', with_secret('subscription')),
  listWebhooks: only('listSubscriptions', (items: Message[]) =>
    page('subscriptions')(
      items.map((item) => ({
        ...item,
        health: {
          ...(item.health as Message),
          disabled_reason: 'UNSPECIFIED',
        },
      })),
    ),
  ),
  updateWebhook: only('updateSubscription', wrapped('subscription')),
  rotateWebhookSecret: only('rotateSecret', with_secret('subscription')),
  disableWebhook: only('disableSubscription', nothing),
  listDeliveries: only('listDeliveries', (items: Message[]) => ({ deliveries: items })),
  listAttempts: only('listAttempts', (items: Message[]) => ({ attempts: items })),
  retryDelivery: only('retryDelivery', wrapped('delivery')),
  testWebhook: only('testSubscription', ({ headers, body, sent }: Message) => ({
    headers,
    body,
    sent: { attempt: 1, ...(sent as Message) },
  })),
  replayDeliveries: only('replayDeliveries', same),
  listFeed: only('listFeed', (bodies: string[]) => ({
    events: bodies.map((body) => ({ body })),
    next_after: 'next/page=2',
  })),
  createApiKey: only('createApiKey', with_secret('api_key')),
  listApiKeys: only('listApiKeys', page('api_keys')),
  revokeApiKey: only('revokeApiKey', nothing),
  rotateApiKey: only('rotateApiKey', with_secret('api_key')),
  login: only('login', session),
  completeLogin: only('completeLogin', session),
  refresh: only('refresh', session),
  logout: only('logout', nothing),
  getCaller: only('getCaller', (inside: Message) => ({ user: profile(inside) })),
  changePassword: only('changePassword', nothing),
  forgotPassword: only('requestPasswordReset', nothing),
  resetForgottenPassword: only('completePasswordReset', nothing),
  beginSecondFactor: only('beginSecondFactor', same),
  confirmSecondFactor: only('confirmSecondFactor', same),
  renewRecoveryCodes: only('renewRecoveryCodes', same),
  removeSecondFactor: only('removeSecondFactor', nothing),
  listSessions: only('listSessions', page('sessions')),
  endSession: only('endSession', nothing),
  previewInvitation: only('previewInvitation', same),
  acceptInvitation: only('acceptInvitation', (inside: Message) => ({ user: profile(inside) })),
  createInvitation: only('createInvitation', wrapped('invitation')),
  listInvitations: only('listInvitations', page('invitations')),
  withdrawInvitation: only('withdrawInvitation', nothing),
  listMembers: only('listMembers', (items: Message[]) =>
    page('users')(items.map((item) => ({ ...item, must_change_password: false }))),
  ),
  updateMember: only('updateMember', wrapped('user')),
  resetMemberSecondFactor: only('resetMemberSecondFactor', nothing),
  getOwnInstitution: only('getOwnInstitution', wrapped('institution')),
  updateOwnInstitution: only('updateOwnInstitution', wrapped('institution')),
  getReportingHealth: only('getReportingHealth', (inside: Message) => ({
    ...inside,
    metrics: (inside.metrics as Message[]).map((metric) => ({
      ...metric,
      numerator: BigInt(metric.numerator as number),
      denominator: BigInt(metric.denominator as number),
    })),
    findings: (inside.findings as Message[]).map((finding) => ({
      ...finding,
      account_count: BigInt(finding.account_count as number),
    })),
  })),
  getReportingHealthByDay: only('getReportingHealthByDay', (days: Message[]) => ({ days })),
  getReportingHealthAccounts: only('listHealthAccounts', same),
  getInstitutionHealthAccounts: (inside: Message) => ({
    listHealthAccounts: inside,
    getInstitution: { user_count: 1, api_key_count: 1, invitation_count: 0 },
  }),
  getReportingHealthRejections: only('listRejections', (causes: Message[]) => ({
    rejections: causes.map(({ count, ...cause }) => ({ ...cause, count: BigInt(count as number) })),
  })),
  getInstitutionHealthRejections: (causes: Message[]) => ({
    listRejections: {
      rejections: causes.map(({ count, ...cause }) => ({
        ...cause,
        count: BigInt(count as number),
      })),
    },
    getInstitution: { user_count: 1, api_key_count: 1, invitation_count: 0 },
  }),
  getInquiryPurposes: (purposes: Message[]) => ({
    listInquiryPurposes: {
      purposes: purposes.map(({ purpose, inquiry_type, ...counts }) => ({
        purpose,
        inquiry_type,
        ...Object.fromEntries(
          Object.entries(counts).map(([name, count]) => [name, BigInt(count as number)]),
        ),
      })),
    },
    getInstitution: { user_count: 1, api_key_count: 1, invitation_count: 0 },
  }),
  getInstitutionHealth: (days: Message[]) => ({
    getReportingHealthByDay: { days },
    getInstitution: { user_count: 1, api_key_count: 1, invitation_count: 0 },
  }),
  proveEvent: (inside: Message) => ({
    getEventLogCheckpoint: { checkpoint: checkpoint(inside.checkpoint as Message) },
    proveEvent: inclusion(inside),
  }),
  listAuditCheckpoints: only('listAuditCheckpoints', checkpoints),
  proveAuditEvent: only('proveAuditEvent', proof),
  proveAuditConsistency: only('proveAuditConsistency', consistency),
  listNetworkAuditCheckpoints: only('listAuditCheckpoints', checkpoints),
  proveNetworkAuditEvent: only('proveAuditEvent', proof),
  proveNetworkAuditConsistency: only('proveAuditConsistency', consistency),
  listAuditKeys: only('listAuditKeys', (items: Message[]) => ({
    keys: items.map(({ public_key, ...key }) => ({
      ...key,
      public_key: Buffer.from(public_key as string, 'base64'),
    })),
  })),
  listAuditEvents: only('listAuditEvents', auditPage),
  listNetworkAuditEvents: only('listNetworkAuditEvents', auditPage),
  exportAuditEvents: () => ({ listAuditEvents: { events: [] } }),
  exportNetworkAuditEvents: () => ({ listNetworkAuditEvents: { events: [] } }),
  // Fewer than ten are not told.
  getNetworkStats: (inside: Message) => ({
    getIdentityTotals: { institutions: 9n, institutions_by_status: [] },
    getReportingTotals: {
      subjects: 9n,
      accounts: 9n,
      events_30d: BigInt(Number(inside.events_30d)),
    },
  }),
  listMemberInstitutions: only('listPublicInstitutions', (items: Message[]) =>
    page('institutions')(
      items.map((item) => ({
        ...item,
        status: 'ACTIVE',
        publicly_listed: true,
        created_at: '2026-01-01T00:00:00.000Z',
      })),
    ),
  ),
  getStatus: () => ({}),
  submitContactRequest: only('submitContactRequest', same),
  submitApplication: only('submitApplication', same),
  getOpenApi: () => ({}),
  listApplications: only('listApplications', page('applications')),
  reviewApplication: only('reviewApplication', (inside: Message) => {
    const [taken, application] = split(inside, 'institution', 'invitation');
    return { application, ...taken };
  }),
  getNetworkTraffic: (inside: Message) => {
    const within = (all: Message[]) =>
      all.map(({ from, ...counts }) => ({
        from,
        ...Object.fromEntries(
          Object.entries(counts).map(([name, value]) => [name, BigInt(value as number)]),
        ),
      }));
    return {
      getReportingTraffic: {
        hours: within(inside.hours as Message[]),
        days: within(inside.days as Message[]),
      },
      getDeliveryTraffic: {
        hours: within((inside.deliveries as { hours: Message[] }).hours),
        days: within((inside.deliveries as { days: Message[] }).days),
      },
    };
  },
  mergeSubjects: only('mergeSubjects', (inside: Message) => {
    const [, move] = split(inside, 'preview');
    return { move };
  }),
  splitSubject: only('splitSubject', (inside: Message) => {
    const [, move] = split(inside, 'preview');
    return { move };
  }),
  listSubjectMoves: only('listSubjectMoves', page('moves')),
  getNetworkMetrics: (inside: Message) => {
    const { institutions, accounts, subjects, events, inquiries } = inside as unknown as {
      institutions: Message[];
      accounts: Message[];
      subjects: number;
      events: { total: number; last_24h: number };
      inquiries: { total: number; last_24h: number };
    };
    const [service = {}] = inside.services as Message[];
    const counted = (list: Message[]) =>
      list.map((item) => ({ ...item, count: BigInt(Number(item.count)) }));
    const waiting = (of: unknown) => ({
      ...(of as Message),
      count: BigInt(Number((of as Message).count)),
    });
    return {
      getIdentityTotals: {
        institutions: 9n,
        institutions_by_status: counted(institutions),
        applications_waiting: waiting(inside.applications_waiting),
        contact_requests_waiting: waiting(inside.contact_requests_waiting),
      },
      getReportingFigures: {
        subjects: BigInt(subjects),
        accounts_by_status: counted(accounts),
        events: BigInt(events.total),
        events_24h: BigInt(events.last_24h),
        inquiries: BigInt(inquiries.total),
        inquiries_24h: BigInt(inquiries.last_24h),
      },
      getDeliveryFigures: {
        ...(inside.deliveries_24h as Message),
        due: 0,
        oldest_due_ms: 0,
        in_flight: 0,
      },
      getServiceFigures: {
        ...service,
        consumers: (service.consumers as Message[]).map(({ name, pending, unacknowledged }) => ({
          consumer: name,
          pending: BigInt(pending as number),
          unacknowledged: BigInt(unacknowledged as number),
        })),
      },
      listDisputes: { disputes: [], total_count: 6 },
    };
  },
  resendInvitation: only('resendInvitation', wrapped('invitation')),
  listContactRequests: only('listContactRequests', page('contact_requests')),
  answerContactRequest: only('answerContactRequest', wrapped('contact_request')),
  createInstitution: only('createInstitution', wrapped('institution')),
  listInstitutions: only('listInstitutions', page('institutions')),
  getInstitution: only('getInstitution', same),
  updateInstitution: only('updateInstitution', wrapped('institution')),
  listUsers: only('listUsers', page('users')),
  createUser: only('createUser', same),
  updateUser: only('updateUser', wrapped('user')),
  resetPassword: only('resetPassword', same),
  revokeSessions: only('revokeSessions', same),
  resetSecondFactor: only('resetSecondFactor', nothing),
};

export const declared = Object.values(operations) as unknown as Operation[];

export function declaredAs(id: OperationId): Operation {
  return operations[id] as unknown as Operation;
}

/** What the services answer, by method, so that an operation's example comes out. */
export function exampleAnswers(operation: Operation): Record<string, unknown> {
  const inside = operation.response?.parse(operation.examples.response);
  return ANSWERS[operation.id as OperationId](inside as never);
}

/** Has the services answer an operation as its example says. */
export function playExample(services: FakeServices, operation: Operation): void {
  const answers = exampleAnswers(operation);
  for (const [method, message] of Object.entries(answers)) services.answer(method, () => message);
}

/** The request of an operation's example, with a credential that may send it. */
export function exampleRequest(operation: Operation): Sent & { as: string | null } {
  const { params, query, body } = operation.examples;
  const { upload } = operation;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? '');
  const query_text = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const credentials = {
    public: null,
    token: DISPUTE_TOKEN,
    scope: API_KEY,
    any: API_KEY,
    user: USER_TOKEN,
    platform: ADMIN_TOKEN,
    person: PERSON_TOKEN,
  };
  return {
    as: credentials[operation.access.kind],
    method: operation.method,
    path: `/api/v1${path}${query_text}`,
    headers: {
      ...(operation.idempotent ? { 'Idempotency-Key': 'example-key-1' } : {}),
      ...(upload === undefined ? {} : { 'Content-Type': upload.example.type }),
    },
    ...(body === undefined ? {} : { body }),
    ...(upload === undefined ? {} : { body: Buffer.from(upload.example.text) }),
  };
}
