import { DisputeReason, DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import {
  ApplicationStatus,
  ContactRequestStatus,
  InstitutionStatus,
  PlatformRole,
  Role,
  UserStatus,
} from '@credit/proto/identity/v1/identity';
import { HealthFindingCode, HealthMetricName } from '@credit/proto/reporting/v1/reporting';
import {
  AccountStatus,
  AccountType,
  Bucket,
  DefaultSeverity,
  EventEffect,
  EventType,
  InquiryType,
  InterestType,
  OrganisationKind,
  PaymentFrequency,
  Purpose,
  SubjectType,
} from '@credit/proto/reporting/v1/types';
import { ReportFormat, ReportStatus, ReportType } from '@credit/proto/scoring/v1/scoring';
import { DeliveryStatus, DisabledReason } from '@credit/proto/webhooks/v1/webhooks';
import { PERMISSIONS, SCOPES } from './access';

/** What a closed set of values is called, and what each of them means. */
export interface Meanings {
  readonly title: string;
  readonly values: Readonly<Record<string, string>>;
}

const known = new Map<object, Meanings>();

/** A set of the protos: a value without a meaning does not compile. */
function means<Values extends object>(
  values: Values,
  title: string,
  meanings: Readonly<Record<Exclude<keyof Values & string, 'UNSPECIFIED'>, string>>,
): void {
  known.set(values, { title, values: meanings });
}

/** A set of plain strings, likewise. */
function listed<const Value extends string>(
  values: readonly Value[],
  title: string,
  meanings: Readonly<Record<Value, string>>,
): void {
  known.set(values, { title, values: meanings });
}

/** What is known of a set, by the very object that declares it. */
export function meaningsOf(values: object): Meanings | undefined {
  return known.get(values);
}

means(SubjectType, 'Kind of subject', {
  INDIVIDUAL: 'A person, known by `game_uuid`.',
  ORGANISATION: 'A firm or body, known by its legal name and registration number.',
});

means(OrganisationKind, 'Kind of organisation', {
  COMPANY: 'A company with limited liability or shares.',
  PARTNERSHIP: 'Partners who answer for it together.',
  GOVERNMENT: 'A public body.',
  NON_PROFIT: 'A charity, club or foundation.',
});

means(AccountType, 'Account type', {
  TERM_LOAN: 'A loan of a fixed amount, paid back over an agreed time.',
  MORTGAGE: 'A loan secured by land or a building.',
  AUTO_LOAN: 'A loan for a vehicle, usually secured by it.',
  STUDENT_LOAN: 'A loan for education.',
  TRADE_CREDIT: 'Goods or services delivered now and paid for later.',
  LEASE: 'The use of a thing against regular payments.',
  OTHER: 'An instalment credit of another kind.',
  CREDIT_LINE: 'Revolving: drawn and paid back at will, up to a limit.',
  CREDIT_CARD: 'Revolving: a card with a limit.',
  OVERDRAFT: 'Revolving: a current account that may go below zero.',
});

means(InterestType, 'Interest type', {
  FIXED: 'The rate stays for the whole term.',
  VARIABLE: 'The rate follows another one.',
  NONE: 'No interest is charged.',
});

means(PaymentFrequency, 'Payment frequency', {
  WEEKLY: 'Every week.',
  BIWEEKLY: 'Every two weeks.',
  MONTHLY: 'Every month.',
  QUARTERLY: 'Every three months.',
  ANNUALLY: 'Every year.',
  AT_MATURITY: 'All at once, on the last day.',
  ON_DEMAND: 'Whenever the lender asks for it.',
});

means(AccountStatus, 'Account status', {
  CURRENT: 'Paid as agreed so far.',
  PAID: 'Paid in full and over; the balance is 0.',
  PAST_DUE: 'A payment did not come when it was due: a PAYMENT_LATE was reported.',
  DELINQUENT: 'Seriously late: counts from 30 days past due on.',
  DEFAULTED: 'The lender does not expect the rest to be paid as agreed.',
  RESTRUCTURED: 'New terms, because the old ones could not be met.',
  WRITTEN_OFF: 'The lender has given the rest up in its books (a charge-off).',
  CANCELLED: 'Ended with nothing owed, or taken off the file.',
  DISPUTED: 'Contested at present; the status beneath is kept and goes on moving.',
});

means(EventType, 'Event type', {
  ACCOUNT_OPENED: 'The account began; the network writes it when the account is created.',
  ACCOUNT_UPDATED: 'Something else was agreed; moves neither status nor balance by itself.',
  PAYMENT_DUE: 'A payment falls due; moves nothing.',
  PAYMENT_MADE: 'A payment came, in full. Moves no status: it cures nothing.',
  PARTIAL_PAYMENT: 'A payment came, in part.',
  PAYMENT_LATE: 'A payment did not come in time: CURRENT becomes PAST_DUE.',
  ACCOUNT_CURRENT: 'All arrears are paid: back to CURRENT.',
  DELINQUENCY_STARTED: 'The account is seriously late: DELINQUENT.',
  DELINQUENCY_CURED: 'A delinquency is over: back to CURRENT.',
  DEFAULT_REPORTED: 'The rest is not expected to be paid as agreed: DEFAULTED.',
  DEFAULT_CURED: 'A default is over: back to CURRENT.',
  ACCOUNT_RESTRUCTURED: 'New terms were agreed because the old ones could not be met.',
  ACCOUNT_WRITTEN_OFF: 'The rest was given up in the books: WRITTEN_OFF.',
  ACCOUNT_PAID: 'Paid in full: PAID, and the balance becomes 0.',
  ACCOUNT_CLOSED: 'Ended with a balance of 0: CANCELLED.',
  BALANCE_UPDATED: 'The balance is now `balance_after`.',
  LIMIT_CHANGED: 'The limit of a revolving account is now `amount`.',
  DISPUTE_OPENED: 'A furnisher flags its own account as contested, or the network reviews it.',
  DISPUTE_RESOLVED: 'That flag, or that review, is over.',
  CORRECTION: 'Voids or replaces an earlier event of the account; both stay on record.',
});

means(DefaultSeverity, 'Severity of a default', {
  MINOR: 'The mildest; costs the score least.',
  MODERATE: 'What counts when nothing is said.',
  SEVERE: 'Worse than most.',
  CRITICAL: 'The worst; costs the score most of the four.',
});

means(Bucket, 'Bucket of days past due', {
  CURRENT: '0 days past due.',
  EARLY: '1 to 29 days past due.',
  DPD_30: '30 to 59 days past due.',
  DPD_60: '60 to 89 days past due.',
  DPD_90: '90 to 119 days past due.',
  DPD_120_PLUS: '120 days past due or more.',
});

means(EventEffect, 'Effect of an event', {
  EFFECTIVE: 'It counts.',
  SUPERSEDED: 'A correction has voided or replaced it.',
  IGNORED: 'A correction before it in time made it impossible; it is kept on record.',
});

means(Purpose, 'Purpose of an inquiry', {
  NEW_CREDIT_APPLICATION: 'Somebody asks you for credit. HARD, SOFT on request.',
  CREDIT_LIMIT_INCREASE: 'More of a credit that you already give. HARD, SOFT on request.',
  REFINANCING: 'A new credit in place of others. HARD, SOFT on request.',
  GUARANTOR_ASSESSMENT: 'Somebody vouches for another. HARD, SOFT on request.',
  PREQUALIFICATION: 'An offer that nobody has accepted yet. SOFT.',
  ACCOUNT_REVIEW: 'Your own accounts, regularly. SOFT; needs an account of yours.',
  COLLECTION: 'Your own accounts, in arrears. SOFT; needs an account of yours.',
  IDENTITY_VERIFICATION: 'Is it who it says it is? SOFT.',
  FRAUD_PREVENTION: 'Signs of fraud. SOFT.',
  COUNTERPARTY_CHECK: 'Dealings without credit. SOFT.',
  SUBJECT_REQUEST: 'The subject asks for its own file. SOFT.',
});

means(InquiryType, 'Type of an inquiry', {
  HARD: 'Counts in the score for 12 months and is shown to others for 24.',
  SOFT: 'Counts nowhere.',
});

means(DisputeReason, 'Reason of a dispute', {
  PAYMENT_REPORTED_LATE: 'It was paid on time.',
  NOT_MY_ACCOUNT: 'The account belongs to somebody else.',
  IDENTITY_MISMATCH: 'Two people or firms were mixed up.',
  INCORRECT_BALANCE: 'Another amount is owed.',
  INCORRECT_STATUS: 'The account stands otherwise.',
  INCORRECT_DATES: 'It happened at another time.',
  ALREADY_PAID: 'The debt is paid.',
  DUPLICATE_ACCOUNT: 'The same debt is on file twice.',
  OBSOLETE_INFORMATION: 'It is too old to be shown.',
  UNAUTHORISED_INQUIRY: 'Somebody looked at the file without a reason.',
  FRAUD: 'The account was opened by a fraud.',
  OTHER: 'Something else; the description says what.',
});

means(DisputeStatus, 'Status of a dispute', {
  OPEN: 'Taken in. A flag shows it; no score changes by it.',
  UNDER_REVIEW: 'Being looked into; what is contested is left out of the score meanwhile.',
  RESOLVED_CORRECTED: 'The record was wrong and is mended, or its correction is pending.',
  RESOLVED_UPHELD: 'The record was verified and stays.',
  REJECTED: 'Frivolous, misdirected, or about nobody who can be identified.',
});

means(Role, 'Role in an institution', {
  OWNER: 'May do everything, and alone makes other owners.',
  ADMIN: 'May manage keys and people, and reads the audit log.',
  DEVELOPER: 'Sees API keys without their secrets.',
  VIEWER: 'Signs in and sees what every member sees.',
});

means(PlatformRole, 'Role on the platform', {
  PLATFORM_ADMIN: 'Runs the network: applications, institutions, disputes, contact requests.',
  SVC_SUPERADMIN: 'That, and makes and changes users and administrators.',
});

means(InstitutionStatus, 'Status of an institution', {
  PENDING: 'Not open yet.',
  ACTIVE: 'A member: its keys and people get in.',
  SUSPENDED: 'Every credential of it is refused (403); its webhook deliveries wait.',
  CLOSED: 'Left for good. Final.',
});

means(ApplicationStatus, 'Status of an application', {
  PENDING: 'Waits for an administrator.',
  APPROVED: 'The institution exists, and its owner is invited.',
  REJECTED: 'Declined; `review_note` may say why.',
});

means(UserStatus, 'Status of a user', {
  ACTIVE: 'Can sign in.',
  DISABLED: 'Cannot sign in, and has no session.',
});

means(ContactRequestStatus, 'Status of a contact request', {
  OPEN: 'Nobody has answered yet.',
  ANSWERED: 'Answered.',
  CLOSED: 'Put aside without an answer.',
});

means(HealthMetricName, 'Metric of reporting health', {
  TIMELINESS: 'Events reported within 7 days, of all.',
  FRESHNESS: 'Open accounts with an event in the last 45 days, of all open ones.',
  ACCURACY: 'Corrections against events; those of your own, before a dispute, count half.',
  REJECTION: 'Refused items, of those submitted.',
  DISPUTES: 'Disputes resolved against you, of your accounts.',
  COVERAGE: 'Accounts with maturity, rate and payment frequency, of all.',
});

means(HealthFindingCode, 'Finding of reporting health', {
  DELINQUENT_WITHOUT_BALANCE: 'Delinquent, though nothing is owed.',
  WRITTEN_OFF_WITHOUT_DELINQUENCY: 'Written off, though never reported late before.',
  PAST_DUE_AFTER_PAYMENT: 'Past due, though it was paid over 30 days ago.',
  DISPUTE_FLAG_TOO_OLD: 'Your own dispute flag stands for over 60 days, and suspends no more.',
});

means(ReportType, 'Type of a report', {
  FULL: 'Everything: trade lines, payment grid, events, disputes, inquiries, score history.',
  SUMMARY: 'The profile without those details.',
  COMMERCIAL: 'Everything about an organisation, with its payment index by quarter.',
});

means(ReportFormat, 'Format of a report', {
  JSON: 'For programs; comes with the report up to 4 MiB.',
  CSV: 'For spreadsheets.',
  PDF: 'For people.',
});

means(ReportStatus, 'Status of a report', {
  PENDING: 'Being built.',
  READY: 'Can be fetched.',
  FAILED: 'Could not be built; `failure_code` says why.',
  EXPIRED: '30 days after it was ready: the document is gone, its hash stays.',
});

means(DeliveryStatus, 'Status of a delivery', {
  PENDING: 'Waits for its next attempt, or one is under way.',
  DELIVERED: 'The receiver answered with a 2xx status.',
  FAILED: 'Eight attempts failed; replay it or read the feed.',
  CANCELLED: 'Its subscription was deleted or disabled.',
});

means(DisabledReason, 'Why a webhook is disabled', {
  REQUESTED: 'Its institution disabled it.',
  GONE: 'Its receiver answered 410.',
});

listed(SCOPES, 'Scope of an API key', {
  'credit:read': 'Find subjects, read profiles and scores, record inquiries.',
  'credit:report': 'Create subjects, list your own accounts and their events.',
  'accounts:write': 'Create accounts, one by one or in bulk.',
  'events:write': 'Report credit events, one by one or in bulk.',
  'reports:request': 'Order and fetch detailed reports.',
  'webhooks:manage': 'Subscribe, test, inspect and end webhooks; read the event feed.',
});

listed(PERMISSIONS, 'Permission of a user', {
  'api_keys.create': 'Make and rotate API keys.',
  'api_keys.read': 'See API keys, without their secrets.',
  'api_keys.revoke': 'End API keys.',
  'institution.users.manage': 'Invite people and take invitations back.',
  'audit.read': "Read the institution's audit log and its proofs.",
});
