import type { CallContext, Environment } from '@credit/platform/context';
import { forbidden, invalid, notFound } from '@credit/platform/errors';
import { type Handlers, serviceRegistration } from '@credit/platform/rpc';
import { newId } from '@credit/platform/runtime';
import { Event } from '@credit/proto/events/v1/events';
import {
  type GetSubjectFileResponse,
  type InquiryFact,
  ReportingServiceDefinition,
} from '@credit/proto/reporting/v1/reporting';
import {
  Account,
  type AccountProjection,
  type FileAlert,
  type FileStatement,
  type Subject,
  type SubjectType,
} from '@credit/proto/reporting/v1/types';

/** Midday, so that a day more or less is unmistakable. */
export const NOW_MS = Date.parse('2026-03-15T12:00:00.000Z');
export const DAY_MS = 86_400_000;

export const daysAgo = (days: number): string => new Date(NOW_MS - days * DAY_MS).toISOString();
/** As reporting counts months, of today less some. */
export const monthsAgo = (months: number): number => 2026 * 12 + 2 - months;

type Recorded = { subject_type: SubjectType; version: number } & {
  accounts: Map<string, AccountProjection>;
  inquiries: InquiryFact[];
  last_event_id: string | undefined;
};

/**
 * Stands in for the reporting service: numbers a subject's changes as it does, makes the events,
 * and serves GetSubjectFile. The events are what their bytes say.
 */
export class FakeReporting {
  readonly looks: { environment: Environment; subject_id: string }[] = [];
  /** Inquiries that scoring recorded. */
  readonly inquired: { subject_id: string; inquiry_id: string; purpose: string }[] = [];
  /** What is said of an inquiry, by its id, instead of the subject's head version. */
  readonly said = new Map<
    string,
    { profile_version: number; open_dispute_count?: number | undefined }
  >();
  /** What persons have put on their files, by subject. */
  readonly words = new Map<string, { alerts: FileAlert[]; statements: FileStatement[] }>();
  /** Whose file is frozen: no inquiry is recorded. */
  readonly frozen = new Set<string>();
  /** Who may not follow scores without a purpose. */
  readonly strangers = new Set<string>();
  /** Events and inquiries that are nobody's who asks. */
  readonly foreign = new Set<string>();
  /** Runs before each answer. */
  beforeAnswer: (() => Promise<void>) | undefined;
  private readonly subjects = new Map<string, Recorded>();

  constructor(private readonly environment: Environment = 'live') {}

  subject(subject_type: SubjectType = 'INDIVIDUAL'): string {
    const id = newId();
    this.subjects.set(id, {
      subject_type,
      version: 0,
      accounts: new Map(),
      inquiries: [],
      last_event_id: undefined,
    });
    return id;
  }

  version(subject_id: string): number {
    return this.recorded(subject_id).version;
  }

  /** Opens an account, or changes the one of that id. */
  account(subject_id: string, facts: Partial<AccountProjection> = {}): Event {
    const subject = this.recorded(subject_id);
    subject.version += 1;
    const account_id = facts.account_id ?? newId();
    const before = subject.accounts.get(account_id);
    const account: AccountProjection = {
      ...(before ?? newAccount(account_id, subject_id, subject.subject_type)),
      ...facts,
      version: (before?.version ?? 0) + 1,
      subject_version: subject.version,
    };
    subject.accounts.set(account_id, account);
    const credit_event_id = newId();
    subject.last_event_id = credit_event_id;
    return this.event({ $case: 'account_changed', value: { account, credit_event_id } });
  }

  /** An institution's own account. */
  accountOf(institution_id: string, account_id: string): AccountProjection | undefined {
    for (const { accounts } of this.subjects.values()) {
      const account = accounts.get(account_id);
      if (account?.institution_id === institution_id) return account;
    }
    return undefined;
  }

  inquiry(subject_id: string, facts: Partial<InquiryFact> = {}): Event {
    const subject = this.recorded(subject_id);
    subject.version += 1;
    const inquiry: InquiryFact = {
      inquiry_id: newId(),
      institution_id: newId(),
      purpose: 'NEW_CREDIT_APPLICATION',
      inquiry_type: 'HARD',
      duplicate: false,
      created_at: daysAgo(0),
      ...facts,
      subject_version: subject.version,
    };
    subject.inquiries.push(inquiry);
    subject.last_event_id = undefined;
    const { subject_type } = subject;
    return this.event({ $case: 'inquiry_recorded', value: { subject_id, subject_type, inquiry } });
  }

  /** Every subject by id, as reporting pages through them. */
  heads(after_subject_id: string, limit: number): { subject_id: string; version: number }[] {
    return [...this.subjects]
      .map(([subject_id, { version }]) => ({ subject_id, version }))
      .filter(({ subject_id }) => subject_id > after_subject_id)
      .sort((a, b) => (a.subject_id < b.subject_id ? -1 : 1))
      .slice(0, limit);
  }

  /** As if it had never been, for what a restored backup does not know. */
  forget(subject_id: string): void {
    this.subjects.delete(subject_id);
  }

  file(subject_id: string): GetSubjectFileResponse {
    const { subject_type, version, accounts, inquiries, last_event_id } = this.recorded(subject_id);
    return {
      subject_id,
      subject_type,
      subject_version: version,
      left_version: 0,
      accounts: [...accounts.values()],
      inquiries: [...inquiries],
      last_event_id,
    };
  }

  /** The subject itself, with little more than its id. */
  subjectMessage(subject_id: string): Subject {
    return subjectOfType(subject_id, this.recorded(subject_id).subject_type);
  }

  private recorded(subject_id: string): Recorded {
    const subject = this.subjects.get(subject_id);
    if (subject === undefined) throw notFound('There is no such subject.');
    return subject;
  }

  private event(payload: NonNullable<Event['payload']>): Event {
    const event: Event = {
      id: newId(),
      environment: this.environment,
      created_at: new Date(NOW_MS).toISOString(),
      request_id: newId(),
      traceparent: '',
      payload,
    };
    return Event.decode(Event.encode(event).finish());
  }
}

/** Serves the fakes of both environments as one reporting service. */
export function reportingService(fakes: Readonly<Record<Environment, FakeReporting>>) {
  const refuse = () => Promise.reject(new Error('Scoring asks for files only.'));
  const handlers: Partial<Record<string, unknown>> = Object.fromEntries(
    Object.keys(ReportingServiceDefinition.methods).map((method) => [method, refuse]),
  );
  handlers['getSubjectFile'] = async (ctx: CallContext, request: { subject_id: string }) => {
    const fake = fakes[ctx.environment];
    fake.looks.push({ environment: ctx.environment, subject_id: request.subject_id });
    const answer = fake.file(request.subject_id);
    await fake.beforeAnswer?.();
    return answer;
  };
  handlers['getAccount'] = async (ctx: CallContext, request: { account_id: string }) => {
    const found = fakes[ctx.environment].accountOf(ctx.institution_id, request.account_id);
    if (found === undefined) throw notFound('The account does not exist.');
    return {
      account: {
        ...Account.decode(new Uint8Array()),
        id: found.account_id,
        subject_id: found.subject_id,
      },
    };
  };
  handlers['getSubject'] = async (ctx: CallContext, request: { subject_id: string }) => ({
    subject: fakes[ctx.environment].subjectMessage(request.subject_id),
  });
  handlers['recordInquiry'] = async (
    ctx: CallContext,
    request: { subject_id: string; inquiry_id: string; purpose: string },
  ) => {
    const fake = fakes[ctx.environment];
    const said = fake.said.get(request.inquiry_id);
    const subject =
      said === undefined
        ? fake.subjectMessage(request.subject_id)
        : subjectOfType(request.subject_id, 'INDIVIDUAL');
    if (fake.frozen.has(request.subject_id)) {
      throw forbidden('The file is frozen.', { reason: 'FILE_FROZEN' });
    }
    fake.inquired.push(request);
    const inquiry = {
      ...request,
      id: request.inquiry_id,
      institution_id: ctx.institution_id,
      inquiry_type: 'SOFT',
      created_at: daysAgo(0),
    };
    const { profile_version } = said ?? { profile_version: fake.version(request.subject_id) };
    const open_dispute_count = said?.open_dispute_count;
    const word = fake.words.get(request.subject_id) ?? { alerts: [], statements: [] };
    return { inquiry, subject, profile_version, open_dispute_count, ...word };
  };
  handlers['followSubject'] = async (ctx: CallContext, request: { subject_id: string }) => {
    const fake = fakes[ctx.environment];
    fake.subjectMessage(request.subject_id);
    if (fake.strangers.has(ctx.institution_id)) throw invalid('purpose', 'is required');
    return {};
  };
  handlers['listOwnRecords'] = async (
    ctx: CallContext,
    { record_ids }: { record_ids: string[] },
  ) => ({
    record_ids: record_ids.filter((id) => !fakes[ctx.environment].foreign.has(id)),
  });
  handlers['listSubjectChanges'] = async () => ({ changes: [], inquiries: [], truncated: false });
  return serviceRegistration(
    ReportingServiceDefinition,
    handlers as Handlers<typeof ReportingServiceDefinition>,
  );
}

function subjectOfType(id: string, type: SubjectType): Subject {
  return {
    id,
    type,
    display_name: 'stonecutter',
    current_username: 'stonecutter',
    created_at: daysAgo(900),
    updated_at: daysAgo(900),
  };
}

/** A loan of two years ago, paid regularly. */
function newAccount(
  account_id: string,
  subject_id: string,
  subject_type: SubjectType,
): AccountProjection {
  return {
    account_id,
    subject_id,
    subject_type,
    institution_id: newId(),
    account_type: 'TERM_LOAN',
    currency: 'DCR',
    original_principal_minor: 1_000_000n,
    balance_minor: 400_000n,
    underlying_status: 'CURRENT',
    disputed: false,
    opened_at: daysAgo(730),
    episodes: [],
    payment_months: Array.from({ length: 20 }, (_, index) => monthsAgo(20 - index)),
    late_months: [],
    payment_days: [],
    version: 0,
    subject_version: 0,
    last_event_at: daysAgo(10),
    created_at: daysAgo(730),
  };
}
