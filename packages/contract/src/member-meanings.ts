import { PERMISSIONS, SCOPES } from '@credit/platform/values';
import {
  DisputeOrder,
  DisputeReason,
  DisputeStage,
  DisputeStatus,
  DisputeStepKind,
  DisputeSuppression,
  DisputeTelling,
  DisputeVerdict,
} from '@credit/proto/disputes/v1/disputes';
import {
  ApplicationStatus,
  ContactRequestStatus,
  InstitutionStatus,
  PlatformRole,
  Role,
  UserStatus,
} from '@credit/proto/identity/v1/identity';
import { DeliveryStatus, DisabledReason } from '@credit/proto/webhooks/v1/webhooks';
import { listed, means } from './meaning-registry';

// Whoever takes part, what they may do, and what goes between them.

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
  IDENTITY_THEFT:
    'Somebody else did it in the person’s name. For persons at their own file only: it is left out at once.',
});

means(DisputeSuppression, 'Why a contested record is left out', {
  BLOCK: 'The person says that its identity was stolen.',
  OVERDUE: 'It was not decided in time, and the network has it so.',
});

means(DisputeTelling, 'What was told of a dispute', {
  OPENED: 'That it was opened.',
  OUTCOME: 'How it was decided.',
});

means(DisputeStatus, 'Status of a dispute', {
  OPEN: 'Taken in. A flag shows it; no score changes by it.',
  UNDER_REVIEW: 'Being looked into; what is contested is left out of the score meanwhile.',
  RESOLVED_CORRECTED: 'The record was wrong and is mended, or its correction is pending.',
  RESOLVED_UPHELD: 'The record was verified and stays.',
  REJECTED: 'Frivolous, misdirected, or about nobody who can be identified.',
});

means(DisputeVerdict, 'Verdict of an answer to a dispute', {
  VERIFIED: 'Looked into: the record is right as it is.',
  CORRECTED: 'It was wrong, and is corrected by the events that are named.',
  NOT_OURS: 'Not reported by the institution, or about nobody whom it knows.',
});

means(DisputeStage, 'Stage of a dispute', {
  NEEDS_ANSWER: 'No outcome, and no answer.',
  ANSWERED: 'Answered, without an outcome.',
  UNDECIDED: 'No outcome.',
  DECIDED: 'It has its outcome.',
});

means(DisputeOrder, 'Order of disputes', {
  NEWEST: 'The newest first.',
  DUE: 'Those without an outcome, the one that is due first at the head.',
});

means(DisputeStepKind, 'Step of a dispute', {
  OPENED: 'It was taken in.',
  REVIEW_BEGUN: 'An administrator began to look into it.',
  ANSWERED: 'An institution concerned answered it.',
  RESOLVED: 'It got its outcome.',
});

means(Role, 'Role in an institution', {
  OWNER: 'May do everything, and alone makes other owners.',
  ADMIN: 'May manage keys and people, and reads the audit log.',
  COMPLIANCE: 'Reads the records, profiles and the audit log, and answers disputes.',
  LOAN_OFFICER: 'Finds subjects, reads profiles and orders reports.',
  DEVELOPER: 'Manages webhooks and sees API keys without secrets; reads and writes test data.',
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
  'credit.read':
    'Find subjects, read profiles and scores, record inquiries; list inquiries and reports.',
  'records.read': 'Read your own accounts and their events.',
  'records.write': 'Create subjects and accounts, change subjects, report credit events.',
  'reports.request': 'Order and fetch detailed reports.',
  'webhooks.manage': 'Subscribe, test, inspect and end webhooks; read the event feed.',
  'disputes.respond': 'Answer disputes about what your institution reported.',
  'institution.read': 'Read what your institution is on the network.',
});
