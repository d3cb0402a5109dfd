import { TEXTS } from '@credit/platform/values';
import {
  DisputeOrder,
  DisputeReason,
  DisputeStage,
  DisputeStatus,
  DisputeStepKind,
  DisputeSuppression,
  DisputeVerdict,
} from '@credit/proto/disputes/v1/disputes';
import { DefaultSeverity, EventType, InquiryType, Purpose } from '@credit/proto/reporting/v1/types';
import { anyCredential, inEnvironment, platform, publicAccess, scope, withToken } from '../access';
import { operation } from '../operation';
import {
  boolean,
  email,
  enumeration,
  id,
  integer,
  label,
  list,
  money,
  named,
  orNull,
  page,
  queryBoolean,
  queryFlag,
  queryNumber,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';
import { account, correctedAccount, dryRun } from './accounts';
import { creditEvent, OF_THE_NETWORK } from './events';
import recorded from './recorded-answers.json';

/** What everybody sees of a dispute who may see it. */
export const disputeFields = {
  id: id(),
  status: enumeration(DisputeStatus),
  subject_id: orNull(id()),
  credit_event_id: orNull(id()),
  reported_institution_id: orNull(id()),
  opened_by: label('E-mail addresses in it are shown to administrators and to the opener alone.'),
  reason: enumeration(DisputeReason),
  description: label(),
  evidence_links: list(label()),
  resolution: orNull(label('What an administrator found.')),
  opened_at: timestamp(),
  due_at: timestamp('30 days after it was opened; of IDENTITY_THEFT 4 business days, by UTC.'),
  overdue: boolean(),
  resolved_at: orNull(timestamp()),
  correction_event_id: orNull(id()),
  correction_pending: boolean('Decided for a correction that nobody could make but the furnisher.'),
  voided_inquiry_ids: list(id(), {
    description: 'Inquiries that the outcome took the effect away from.',
  }),
  reinsertion: orNull(
    named(
      'Reinsertion',
      reply({
        credit_event_id: id(
          'The event that reports again, certified, what the outcome took away; the latest. For the ' +
            'opener and for administrators.',
        ),
        certification: label('What the furnisher verified and how.'),
        at: timestamp(),
      }),
    ),
  ),
  answered_at: orNull(
    timestamp(
      'When your institution answered last; for administrators, when anybody concerned did.',
    ),
  ),
  contact_email: orNull(
    label('Where its opener is told of it. For administrators; deleted 90 days after the outcome.'),
  ),
  identity_known: boolean(
    'Opened by the person whom the record is about, at its own file: the network knows who it is.',
  ),
  contested_account_id: orNull(
    id('The whole account is contested; `credit_event_id` is its ACCOUNT_OPENED.'),
  ),
  contested_inquiry_id: orNull(id('The look that is contested.')),
  suppression: orNull(
    enumeration(DisputeSuppression, {
      description:
        'Why the record is left out of the file for others until the dispute is decided.',
    }),
  ),
  suppressed_since: orNull(timestamp()),
  group_id: orNull(
    id(
      'Disputes of the same event and reason that were open together have it in common. For ' +
        'administrators.',
    ),
  ),
  group_size: orNull(
    integer({
      description: 'Disputes of the group without an outcome, up to 1,000. For administrators.',
    }),
  ),
};
export const dispute = named('Dispute', reply(disputeFields));

/** Something that has happened to a dispute. */
export const disputeStep = named(
  'DisputeStep',
  reply({
    kind: enumeration(DisputeStepKind),
    at: timestamp(),
    status: orNull(enumeration(DisputeStatus, { description: 'RESOLVED: the outcome.' })),
    institution_id: orNull(id('ANSWERED: whose answer.')),
    verdict: orNull(enumeration(DisputeVerdict)),
  }),
);

const openedDispute = named(
  'OpenedDispute',
  reply({
    ...disputeFields,
    access_token: label('Opens `GET /public/disputes/{id}`. Shown here only.'),
  }),
);

export const openDispute = operation({
  id: 'openDispute',
  method: 'POST',
  path: '/public/disputes',
  tag: 'Disputes',
  rpc: ['credit.disputes.v1.DisputesService/OpenDispute'],
  summary: 'Open a dispute',
  description:
    'Anyone can contest a reported record. Name at least one of subject, event and institution. ' +
    'The answer does not tell whether the ids exist. Keep its `access_token`: with it you follow ' +
    'the dispute, and it is not shown again. Two mails go to `contact_email`, each with a link of its ' +
    'own to follow it by; an address is told of three disputes a day at most.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    subject_id: id().optional(),
    credit_event_id: id().optional(),
    reported_institution_id: id().optional(),
    opened_by: text({ ...TEXTS.dispute_opener, description: 'Who contests it.' }),
    contact_email: email(
      'Where the network sends mail: to be told that the dispute was received, and how it was ' +
        'decided. Only its administrators see the address.',
    ).optional(),
    reason: enumeration(DisputeReason, { without: ['IDENTITY_THEFT'] }),
    description: text(TEXTS.dispute_description),
    evidence_links: list(url(['http', 'https']), { max: 10 }).default([]),
  }),
  status: 201,
  response: openedDispute,
  errors: [],
  examples: {
    body: {
      subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
      credit_event_id: '0198a1c5-3f11-7b02-9e8d-7c6b5a4f3e21',
      reported_institution_id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
      opened_by: 'stonecutter',
      contact_email: 'stonecutter@example.org',
      reason: 'INCORRECT_BALANCE',
      description:
        'The payment of 1 February was 250, not 143.48; see the attached transfer receipt.',
      evidence_links: ['https://files.example/receipt-20260201.png'],
    },
    response: recorded.openDispute,
  },
});

export const getOpenedDispute = operation({
  id: 'getOpenedDispute',
  method: 'GET',
  path: '/public/disputes/{dispute_id}',
  rpc: ['credit.disputes.v1.DisputesService/GetOpenedDispute'],
  tag: 'Disputes',
  summary: 'Follow a dispute that you opened',
  description:
    'The dispute as it stands, as often as you like. Without its token it is as if it did not ' +
    'exist: 401, whatever the id.',
  access: withToken,
  limit_class: 'STANDARD',
  params: { dispute_id: id('As the answer to opening it says.') },
  status: 200,
  response: dispute,
  errors: [],
  examples: {
    params: { dispute_id: recorded.openDispute.id },
    response: recorded.getOpenedDispute,
  },
});

export const listDisputes = operation({
  id: 'listDisputes',
  method: 'GET',
  path: '/disputes',
  tag: 'Disputes',
  rpc: ['credit.disputes.v1.DisputesService/ListDisputes'],
  summary: 'List disputes',
  description:
    'Disputes about what your institution reported; for a platform administrator those of the ' +
    'whole network. Newest first, or by their due dates.',
  access: inEnvironment(anyCredential),
  limit_class: 'STANDARD',
  params: {},
  query: {
    status: enumeration(DisputeStatus, { description: 'Only disputes in this state.' }).optional(),
    overdue: queryBoolean('Only those past their due date, or only those that are not.').optional(),
    stage: enumeration(DisputeStage, {
      description:
        'How far they are. Answered is what your institution has answered; for administrators, what ' +
        'anybody concerned has.',
    }).optional(),
    order: enumeration(DisputeOrder, {
      description: 'NEWEST when left out. DUE lists those without an outcome alone.',
    }).optional(),
    reported_institution_id: id('Platform administrators.').optional(),
    q: text({
      ...TEXTS.search,
      description:
        'Part of the description or of opened_by; only administrators find one that has an e-mail ' +
        'address in it.',
    }).optional(),
    ...page,
  },
  status: 200,
  response: list(dispute),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { status: 'OPEN' }, response: recorded.listDisputes },
});

const answer = named(
  'DisputeAnswer',
  reply({
    id: id(),
    institution_id: id(),
    verdict: enumeration(DisputeVerdict),
    text: label(),
    correction_event_ids: list(id(), { description: 'CORRECTED: the corrections that it names.' }),
    answered_at: timestamp(),
  }),
);

/** A dispute beside what it contests. */
const caseFields = {
  ...disputeFields,
  steps: list(disputeStep, { description: 'What has happened, in that order.' }),
  answers: list(answer, { description: 'The latest first: that one stands.' }),
  record: orNull(
    named(
      'ContestedRecord',
      reply({
        accounts: list(account, { description: 'The oldest first, up to 50; voided ones too.' }),
        has_more_accounts: boolean(),
        account_id: orNull(id('Whose events these are.')),
        events: list(creditEvent, { description: 'The last recorded first, up to 200.' }),
        next_before_sequence: orNull(
          integer({ description: 'Ask with it as `before_sequence` for the events before these.' }),
        ),
        contested_events: list(creditEvent, {
          description:
            'Of a dispute that names an event: that one, with what it corrects and what corrects ' +
            'it, the first recorded first, up to 50.',
        }),
      }),
    ),
  ),
};

/** Which part of a contested record is shown. */
const partOfRecord = {
  account_id: id('Whose events to show, where several accounts are contested.').optional(),
  before_sequence: queryNumber({
    min: 1,
    max: 999_999_999,
    description: 'Only events before this sequence.',
  }).optional(),
};

export const getDispute = operation({
  id: 'getDispute',
  method: 'GET',
  path: '/disputes/{dispute_id}',
  tag: 'Disputes',
  rpc: ['credit.disputes.v1.DisputesService/GetDispute'],
  summary: 'Read a dispute about your reporting',
  description:
    'What is claimed, beside what is contested as it stands now: the account, or the subject’s ' +
    'accounts with you, and its events. `record` is null for a dispute that is about no account. ' +
    'A dispute that is not about your reporting is 404.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: { dispute_id: id('As `GET /disputes` lists it.') },
  query: partOfRecord,
  status: 200,
  response: named('DisputeCase', reply(caseFields)),
  errors: ['NOT_FOUND'],
  examples: {
    params: { dispute_id: recorded.openDispute.id },
    response: recorded.getDispute,
  },
});

export const answerDispute = operation({
  id: 'answerDispute',
  method: 'POST',
  path: '/disputes/{dispute_id}/responses',
  tag: 'Disputes',
  rpc: ['credit.disputes.v1.DisputesService/AnswerDispute'],
  summary: 'Answer a dispute about your reporting',
  description:
    'Says what you found, while the dispute has no outcome. The administrators decide by it; the ' +
    'answer itself changes neither the record nor the dispute’s status. CORRECTED names the ' +
    'corrections that you have filed. The latest answer stands, and earlier ones are kept, 20 at ' +
    'most. Whoever opened the dispute does not see it.',
  access: scope('events:write', 'disputes.respond'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: { dispute_id: id('As `GET /disputes` lists it.') },
  query: dryRun,
  body: request({
    verdict: enumeration(DisputeVerdict),
    text: text({ ...TEXTS.dispute_answer, description: 'What you looked at, and what it shows.' }),
    correction_event_ids: list(id(), {
      max: 20,
      unique: true,
      description: 'Required for CORRECTED, and for it alone: your corrections of the record.',
    }).default([]),
  }),
  status: 201,
  response: answer,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { dispute_id: recorded.openDispute.id },
    body: {
      verdict: 'VERIFIED',
      text: 'The transfer of 1 February came to 143.48; the statement of that day shows it.',
    },
    response: recorded.answerDispute,
  },
});

/** The event types that no correction can put in the place of another event. */
export const NO_REPLACEMENT = [
  'ACCOUNT_OPENED',
  'DISPUTE_OPENED',
  'DISPUTE_RESOLVED',
  'CORRECTION',
  ...OF_THE_NETWORK,
] as const;

/** What is decided about a dispute. */
export const decision = request({
  status: enumeration(DisputeStatus, { without: ['OPEN'] }),
  resolution: text({
    ...TEXTS.dispute_resolution,
    description: 'Required for the three outcomes.',
  }).optional(),
  correction: named(
    'DisputeCorrection',
    request({
      corrected_event_type: enumeration(EventType, { without: NO_REPLACEMENT }).optional(),
      corrected_occurred_at: timestamp('When the date was what was wrong.').optional(),
      amount: money().optional(),
      balance_after: money().optional(),
      default_severity: enumeration(DefaultSeverity).optional(),
      corrected_account: correctedAccount.optional(),
      inquiry_ids: list(id(), {
        min: 1,
        max: 100,
        unique: true,
        description:
          'Of an UNAUTHORISED_INQUIRY: the inquiries to void; without it the HARD ones of the ' +
          'named institution in the last 90 days.',
      }).optional(),
    }),
  ).optional(),
  account_ids: list(id(), {
    min: 1,
    max: 1_000,
    unique: true,
    description:
      'UNDER_REVIEW: which of the covered accounts are reviewed, all of them without it. ' +
      'RESOLVED_CORRECTED of a dispute that names no event, for NOT_MY_ACCOUNT, ' +
      'DUPLICATE_ACCOUNT, IDENTITY_MISMATCH and FRAUD: the accounts to take off the file.',
  }).optional(),
  apply_to_group: boolean(
    'Decides all disputes of the group that have no outcome. For RESOLVED_CORRECTED and ' +
      'RESOLVED_UPHELD; a rejection is of one dispute alone.',
  ).optional(),
});

/** What a decision would do. */
const preview = named(
  'DecisionPreview',
  reply({
    accounts: list(named('AccountPreview', reply({ before: account, after: account })), {
      description: 'Accounts that would be touched, up to 20.',
    }),
    account_count: integer({ description: 'How many would be touched altogether.' }),
    decided_count: integer({ description: 'Disputes that would be decided.' }),
    health: orNull(
      named(
        'HealthPreview',
        reply({
          institution_id: id('Against whose reporting health it would count.'),
          score_before: orNull(integer()),
          grade_before: orNull(label()),
          score_after: orNull(integer()),
          grade_after: orNull(label()),
        }),
      ),
    ),
  }),
);

export const getDisputeRecord = operation({
  id: 'getDisputeRecord',
  method: 'GET',
  path: '/admin/disputes/{dispute_id}/record',
  rpc: ['credit.disputes.v1.DisputesService/GetDisputeRecord'],
  tag: 'Administration',
  summary: 'Read the record that a dispute is about',
  description:
    'The claim, what is contested as it stands now, the answers of all institutions concerned and ' +
    'other disputes of the same: nothing else of the subject, and no score. Every read is in the ' +
    'audit logs of the network and of the institutions whose accounts or inquiries are shown.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { dispute_id: id('As `GET /disputes` lists it.') },
  query: partOfRecord,
  status: 200,
  response: named(
    'DisputeRecord',
    reply({
      ...caseFields,
      related: list(dispute, {
        description:
          'Other disputes of the subject that are about the same account or about all of them, ' +
          'newest first, up to 20.',
      }),
      inquiries: list(
        named(
          'ContestedInquiry',
          reply({
            id: id(),
            institution_id: id(),
            purpose: enumeration(Purpose),
            inquiry_type: enumeration(InquiryType),
            duplicate_of: orNull(id('The same inquiry within 24 hours: this one has no effect.')),
            voided_at: orNull(timestamp('When the outcome of a dispute took its effect away.')),
            created_at: timestamp(),
          }),
        ),
        {
          description:
            'Of an UNAUTHORISED_INQUIRY: the inquiries about the subject that it may be about, those ' +
            'of the named institution or else everybody’s, newest first, up to 100.',
        },
      ),
      has_more_inquiries: boolean(),
    }),
  ),
  errors: ['NOT_FOUND'],
  examples: {
    params: { dispute_id: recorded.openDispute.id },
    response: recorded.getDisputeRecord,
  },
});

export const moveDispute = operation({
  id: 'moveDispute',
  method: 'PATCH',
  path: '/admin/disputes/{dispute_id}',
  rpc: ['credit.disputes.v1.DisputesService/MoveDispute'],
  tag: 'Administration',
  summary: 'Review or resolve a dispute',
  description:
    'UNDER_REVIEW takes what is contested out of scores until the outcome. An outcome is final: ' +
    'RESOLVED_CORRECTED takes the contested fact away, or puts `correction` in its place, or links ' +
    'the correction that its furnisher filed meanwhile and that mends it; of an opening it takes ' +
    'the account off the file, of an unauthorised inquiry its effect. RESOLVED_UPHELD says that the ' +
    'data was verified; REJECTED that the dispute was frivolous, misdirected or about nobody who ' +
    'can be identified. A dispute that names no event covers the accounts of the subject at the ' +
    'named institution, or everywhere when it names none. What cannot be done at once is stored and completed: repeat the same ' +
    'request after a 500 to see the outcome.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { dispute_id: id('As `GET /disputes` lists it.') },
  query: {
    dry_run: queryFlag(
      'True to see what the decision would do: it is checked and refused as it would be, the answer ' +
        'has `preview` and the header Dry-Run, and nothing is decided. A correction that would be ' +
        'filed has the nil UUID.',
    ),
  },
  body: decision,
  status: 200,
  response: named('DecidedDispute', reply({ ...disputeFields, preview: orNull(preview) })),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { dispute_id: recorded.openDispute.id },
    body: {
      status: 'RESOLVED_CORRECTED',
      resolution: 'The bank confirms the transfer of 1 February.',
      correction: { corrected_event_type: 'PAYMENT_MADE', amount: 250, balance_after: 8170.75 },
    },
    response: recorded.moveDispute,
  },
});
