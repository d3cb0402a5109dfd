import { CONSENT_REFERENCE, TEXTS } from '@credit/platform/values';
import {
  AccountStatus,
  AccountType,
  AlertKind,
  Bucket,
  DefaultSeverity,
  EventEffect,
  EventType,
  InquiryRefusal,
  InquiryType,
  Purpose,
  StatedRecord,
  SubjectType,
} from '@credit/proto/reporting/v1/types';
import { scope } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  integer,
  label,
  list,
  money,
  named,
  oneOf,
  orNull,
  page,
  reply,
  request,
  text,
  timestamp,
} from '../wire';
import { OF_THE_NETWORK } from './events';
import recorded from './recorded-answers.json';

const purpose = () => enumeration(Purpose, { description: 'Why the file is looked at.' });
const inquiryType = () =>
  enumeration(InquiryType, {
    description:
      'HARD counts in the score, SOFT does not. Left out, it follows from the purpose; some ' +
      'purposes allow SOFT only.',
  });

/** How the reader names the consent that it has. */
export const consentReference = () =>
  text({
    ...TEXTS.consent_reference,
    pattern: CONSENT_REFERENCE,
    pattern_name: 'visible characters, with spaces within',
    description:
      'How you name the consent that the person gave to a HARD inquiry: kept with it, and shown to the ' +
      'person and to your own institution alone.',
  }).optional();

export const modelVersion = (
  which = 'The version of the model to score with, the current one when left out.',
) =>
  text({
    max: 40,
    description:
      `${which} One that was replaced can be asked for during a year more; then, as of an unknown ` +
      'one, it is 422.',
  }).optional();

/** Of what shows how a score moved. */
const look = () => ({
  purpose: enumeration(Purpose, {
    description:
      'Why the scores are looked at; then an inquiry is recorded. An institution that reports on ' +
      'the subject, or looked at it within 30 days, may leave it out; of any other it is required.',
  }).optional(),
  inquiry_type: inquiryType().optional(),
  consent_reference: consentReference(),
});

const inquiry = named(
  'Inquiry',
  reply({
    id: id(),
    subject_id: id(),
    purpose: purpose(),
    inquiry_type: enumeration(InquiryType),
    duplicate_of: orNull(id('The same inquiry within 24 hours: this one has no effect.')),
    voided_at: orNull(timestamp('When the outcome of a dispute took its effect away.')),
    refusal: orNull(
      enumeration(InquiryRefusal, {
        description: 'Why it was refused: then it showed nothing and has no effect.',
      }),
    ),
    consent_reference: orNull(label('How you named the consent that you had.')),
    created_at: timestamp(),
  }),
);

const inquiryExample = recorded.recordInquiry;

export const recordInquiry = operation({
  id: 'recordInquiry',
  method: 'POST',
  path: '/inquiries',
  tag: 'Credit',
  rpc: ['credit.reporting.v1.ReportingService/RecordInquiry'],
  summary: 'Record an inquiry',
  description:
    'Puts an inquiry on file without reading the profile. ACCOUNT_REVIEW and COLLECTION need an ' +
    'account of your own with the subject. One for new business about a file that its person has ' +
    'frozen is 403 with FILE_FROZEN, and stays on file as refused.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  params: {},
  body: request({
    subject_id: id(),
    purpose: purpose(),
    inquiry_type: inquiryType().optional(),
    consent_reference: consentReference(),
  }),
  status: 201,
  response: inquiry,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      subject_id: inquiryExample.subject_id,
      purpose: 'NEW_CREDIT_APPLICATION',
      inquiry_type: 'HARD',
    },
    response: recorded.recordInquiry,
  },
});

export const listInquiries = operation({
  id: 'listInquiries',
  method: 'GET',
  path: '/inquiries',
  tag: 'Credit',
  rpc: ['credit.reporting.v1.ReportingService/ListInquiries'],
  summary: 'List inquiries',
  description:
    'The inquiries of your own institution, newest first: those of profiles, reports, simulations ' +
    'and histories too. One that had no effect on a score is among them, as a repetition, one ' +
    'that was voided or one that a freeze has refused.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: {
    subject_id: id('Only inquiries about this subject.').optional(),
    purpose: enumeration(Purpose, { description: 'Only inquiries for this purpose.' }).optional(),
    from: timestamp('Only those from this time on.').optional(),
    to: timestamp('Only those before this time.').optional(),
    ...page,
  },
  status: 200,
  response: list(inquiry),
  paging: 'PAGE',
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    query: { subject_id: inquiryExample.subject_id },
    response: recorded.listInquiries,
  },
});

/** What a score is made of. */
export const factor = named(
  'Factor',
  reply({ name: label(), points: integer(), max: integer({ description: 'Points at most.' }) }),
);

/** Why a score is no higher, or no lower. */
export const reasonCode = named(
  'ReasonCode',
  reply({
    code: label('Stable; safe to branch on.'),
    factor: label(),
    direction: oneOf(['NEGATIVE', 'POSITIVE']),
    text: label(),
    points_lost: integer(),
  }),
);

const bucket = (description?: string) => enumeration(Bucket, { description });

const profile = named(
  'CreditProfile',
  reply({
    subject: reply({
      id: id(),
      type: enumeration(SubjectType),
      game_uuid: orNull(id()),
      current_username: orNull(label()),
      display_name: label(),
    }),
    credit: reply({
      score: orNull(integer({ min: 300, max: 850, description: 'null when not rated.' })),
      score_range: reply({ min: integer(), max: integer() }),
      grade: orNull(label('A to E.')),
      band: label('EXCEPTIONAL, VERY_GOOD, GOOD, FAIR, POOR or NOT_RATED.'),
      confidence: label('LOW, MEDIUM or HIGH.'),
      model_version: label(),
      calculated_at: timestamp(),
      factors: list(factor),
      payment_index: orNull(
        integer({ description: 'Organisations: 0 to 80; null under 3 payments.' }),
      ),
    }),
    risk: reply({
      level: label(),
      worst_current_status: orNull(enumeration(AccountStatus)),
      max_days_past_due: integer(),
      bucket: bucket('Of the account that is furthest past due.'),
      stage: integer({ description: '1 to 3, as for expected credit loss.' }),
      active_defaults: integer(),
      disputed_account_count: integer(),
      disputed_balance: list(reply({ currency: label(), amount: money() })),
      caps_applied: list(label()),
      open_dispute_count: orNull(
        integer({
          description:
            'Disputes about the subject or its records without an outcome; null of a past time.',
        }),
      ),
    }),
    history: reply({
      accounts_by_status: list(reply({ status: enumeration(AccountStatus), count: integer() })),
      totals: list(reply({ currency: label(), balance: money(), limit: money() })),
      oldest_account_months: integer(),
      on_time_24m: integer(),
      late_24m: integer(),
      worst_bucket_12m: bucket(),
      worst_bucket_24m: bucket(),
      payment_grid: label('24 characters, one a month, newest first.'),
      hard_inquiries_12m: integer(),
      institution_count: integer(),
    }),
    reason_codes: list(reasonCode),
    alerts: list(
      reply({
        kind: enumeration(AlertKind, { description: 'What the alert warns of.' }),
        placed_at: timestamp(),
        ends_at: timestamp('When it ends by itself.'),
        instruction: label('For people: what to do before anything is decided.'),
      }),
      { description: 'Placed by the person: read them before you decide. They move no score.' },
    ),
    statements: list(
      reply({
        record_kind: enumeration(StatedRecord),
        record_id: orNull(
          id('The credit event or account, of a record of your own institution only.'),
        ),
        text: text(TEXTS.statement),
        set_at: timestamp(),
      }),
      { description: 'What the person has to say about records of the file, 50 at most.' },
    ),
    inquiry_id: id('The inquiry that this read recorded.'),
  }),
);

export const getCreditProfile = operation({
  id: 'getCreditProfile',
  method: 'GET',
  path: '/credit/{subject_id}',
  tag: 'Credit',
  rpc: ['credit.scoring.v1.ScoringService/GetProfile'],
  summary: 'Read a credit profile',
  description:
    'The profile as of now, with every event that was acknowledged before. The read is recorded ' +
    'as an inquiry; that inquiry is not in the score that it returns. A score is no instruction ' +
    'to approve: keep the request id with your own decision. A file that its person has frozen is ' +
    'not shown for new business: 403 with FILE_FROZEN.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  priority: 'decision',
  params: { subject_id: id('The subject.') },
  query: {
    purpose: purpose(),
    inquiry_type: inquiryType().optional(),
    consent_reference: consentReference(),
    as_of: timestamp(
      'The profile of a past time: what had happened by then. Left out with known_at, it is known_at.',
    ).optional(),
    known_at: timestamp(
      'What was on record by then: what you were told, had you asked. Left out with as_of, it is as_of.',
    ).optional(),
    model_version: modelVersion(),
  },
  status: 200,
  response: profile,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: inquiryExample.subject_id },
    query: { purpose: 'NEW_CREDIT_APPLICATION' },
    response: recorded.getCreditProfile,
  },
});

const snapshot = named(
  'ScoreSnapshot',
  reply({
    id: id(),
    subject_id: id(),
    sequence: integer({ description: 'From 1, without a gap.' }),
    score: orNull(integer({ description: 'null when not rated.' })),
    grade: orNull(label()),
    model_version: label(),
    as_of: timestamp(),
    calculated_at: timestamp(),
    trigger: reply({
      type: label('EVENT, INQUIRY, AGEING, or MODEL when a new version of the model came.'),
      id: orNull(id('The credit event or inquiry; null when it is another institution’s.')),
    }),
    factors: list(factor),
    reason_codes: list(reasonCode),
    previous_score: orNull(integer()),
    delta: orNull(integer()),
    input_hash: label('SHA-256 over what the model was given, hexadecimal.'),
  }),
);

export const listSnapshots = operation({
  id: 'listSnapshots',
  method: 'GET',
  path: '/credit/{subject_id}/history',
  tag: 'Credit',
  rpc: ['credit.scoring.v1.ScoringService/ListSnapshots'],
  summary: 'List score snapshots',
  description:
    'The scores that were in force, newest first. One is kept whenever the score or its reasons ' +
    'change. It is a look at the subject: with a purpose an inquiry is recorded, without one the ' +
    'read is in your audit log.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  params: { subject_id: id('The subject.') },
  query: { ...look(), ...page },
  status: 200,
  response: list(snapshot),
  paging: 'PAGE',
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: inquiryExample.subject_id },
    response: recorded.listSnapshots,
  },
});

const snapshotDiff = named(
  'ScoreSnapshotDiff',
  reply({
    from: snapshot,
    to: snapshot,
    score_delta: orNull(integer({ description: 'null unless both are rated.' })),
    factors: list(
      reply({
        name: label(),
        from_points: integer(),
        to_points: integer(),
        delta: integer(),
      }),
    ),
    reasons_added: list(label('Codes of the second only.')),
    reasons_removed: list(label('Codes of the first only.')),
    events: list(
      reply({
        credit_event_id: orNull(id('Of your own events only.')),
        account_type: enumeration(AccountType),
        event_type: enumeration(EventType),
        effect: enumeration(EventEffect),
        occurred_at: timestamp(),
        reported_at: timestamp(),
        own: boolean('Reported by your institution.'),
      }),
      { description: 'Recorded in between, oldest first, at most 500.' },
    ),
    inquiries: list(
      reply({
        inquiry_id: orNull(id('Of your own inquiries only.')),
        purpose: enumeration(Purpose),
        created_at: timestamp(),
      }),
      { description: 'Hard inquiries in between that repeat no other.' },
    ),
    truncated: boolean('There were more events than are listed.'),
  }),
);

export const diffSnapshots = operation({
  id: 'diffSnapshots',
  method: 'GET',
  path: '/credit/{subject_id}/history/{snapshot_id}/diff',
  tag: 'Credit',
  rpc: ['credit.scoring.v1.ScoringService/DiffSnapshots'],
  summary: 'Compare two score snapshots',
  description:
    'Points per factor in both, the reasons that came and went, and what was recorded in between. ' +
    'Without `to` the latest snapshot is compared. It is a look at the subject, as the list is.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  params: { subject_id: id('The subject.'), snapshot_id: id('The earlier snapshot.') },
  query: { to: id('Another snapshot of the subject.').optional(), ...look() },
  status: 200,
  response: snapshotDiff,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: {
      subject_id: inquiryExample.subject_id,
      snapshot_id: recorded.diffSnapshots.from.id,
    },
    query: { to: recorded.diffSnapshots.to.id },
    response: recorded.diffSnapshots,
  },
});

const scoreView = named(
  'ScoreView',
  reply({
    score: orNull(integer({ description: 'null when not rated.' })),
    grade: orNull(label()),
    band: label(),
    factors: list(factor),
    reason_codes: list(reasonCode),
    caps_applied: list(label()),
  }),
);

export const simulateCredit = operation({
  id: 'simulateCredit',
  method: 'POST',
  path: '/credit/{subject_id}/simulate',
  tag: 'Credit',
  rpc: ['credit.scoring.v1.ScoringService/SimulateProfile'],
  summary: 'Simulate a score',
  description:
    'The score as it would be after events that have not happened: on accounts of your own, or on ' +
    'new ones with ACCOUNT_OPENED. Records a SOFT inquiry and writes nothing else.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  priority: 'read',
  params: { subject_id: id('The subject.') },
  body: request({
    purpose: purpose(),
    events: list(
      request({
        account_id: id('An account of your own; left out for ACCOUNT_OPENED.').optional(),
        event_type: enumeration(EventType, { without: ['CORRECTION', ...OF_THE_NETWORK] }),
        occurred_at: timestamp('Now when left out.').optional(),
        amount: money('For ACCOUNT_OPENED the original principal.').optional(),
        balance_after: money().optional(),
        default_severity: enumeration(DefaultSeverity).optional(),
        account_type: enumeration(AccountType, {
          description: 'For ACCOUNT_OPENED only.',
        }).optional(),
      }),
      { min: 1, max: 20 },
    ),
    model_version: modelVersion(),
  }),
  status: 200,
  response: named(
    'Simulation',
    reply({
      inquiry_id: id('The SOFT inquiry that was recorded.'),
      before: scoreView,
      after: scoreView,
      delta: orNull(integer({ description: 'null unless both are rated.' })),
      model_version: label(),
    }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: inquiryExample.subject_id },
    body: {
      purpose: 'ACCOUNT_REVIEW',
      events: [
        {
          account_id: '0198a1c5-3a00-7f4e-8b2a-6d5c4b3a2f10',
          event_type: 'PAYMENT_MADE',
          amount: 2250,
          balance_after: 6027.27,
        },
      ],
    },
    response: recorded.simulateCredit,
  },
});
