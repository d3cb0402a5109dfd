import { TEXTS } from '@credit/platform/values';
import { DisputeReason, DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import { DefaultSeverity, EventType } from '@credit/proto/reporting/v1/types';
import { anyCredential, inEnvironment, platform, publicAccess, withToken } from '../access';
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
  orNull,
  page,
  queryBoolean,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';
import { correctedAccount } from './accounts';
import recorded from './recorded-answers.json';

const disputeFields = {
  id: id(),
  status: enumeration(DisputeStatus),
  subject_id: orNull(id()),
  credit_event_id: orNull(id()),
  reported_institution_id: orNull(id()),
  opened_by: label(),
  reason: enumeration(DisputeReason),
  description: label(),
  evidence_links: list(label()),
  resolution: orNull(label('What an administrator found.')),
  opened_at: timestamp(),
  due_at: timestamp('30 days after it was opened.'),
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
    'the dispute, and it is not shown again.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    subject_id: id().optional(),
    credit_event_id: id().optional(),
    reported_institution_id: id().optional(),
    opened_by: text({ ...TEXTS.dispute_opener, description: 'Who contests it.' }),
    reason: enumeration(DisputeReason),
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
    'whole network. Newest first.',
  access: inEnvironment(anyCredential),
  limit_class: 'STANDARD',
  params: {},
  query: {
    status: enumeration(DisputeStatus, { description: 'Only disputes in this state.' }).optional(),
    overdue: queryBoolean('Only those past their due date, or only those that are not.').optional(),
    reported_institution_id: id('Platform administrators.').optional(),
    q: text({
      ...TEXTS.search,
      description: 'Part of the description or of opened_by.',
    }).optional(),
    ...page,
  },
  status: 200,
  response: list(dispute),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { status: 'OPEN' }, response: recorded.listDisputes },
});

/** The only event types that a correction can put in the place of another event. */
const NO_REPLACEMENT = [
  'ACCOUNT_OPENED',
  'DISPUTE_OPENED',
  'DISPUTE_RESOLVED',
  'CORRECTION',
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
  body: decision,
  status: 200,
  response: dispute,
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
