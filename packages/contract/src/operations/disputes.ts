import { DisputeReason, DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import { anyCredential, publicAccess } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  label,
  list,
  named,
  oneOf,
  orNull,
  page,
  queryBoolean,
  reply,
  request,
  text,
  timestamp,
  url,
} from '../wire';

const dispute = named(
  'Dispute',
  reply({
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
    correction_pending: boolean('Decided for a correction that has not been filed yet.'),
  }),
);

const disputeExample = {
  id: '0198a1c6-5d00-7a1c-9b7e-4c3b2a1f0e99',
  status: 'OPEN',
  subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
  credit_event_id: '0198a1c5-3f11-7b02-9e8d-7c6b5a4f3e21',
  reported_institution_id: '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11',
  opened_by: 'stonecutter',
  reason: 'PAYMENT_REPORTED_LATE',
  description: 'The payment of 1 February was on time; see the attached transfer receipt.',
  evidence_links: ['https://files.example/receipt-20260201.png'],
  resolution: null,
  opened_at: '2026-02-05T12:00:00.000Z',
  due_at: '2026-03-07T12:00:00.000Z',
  overdue: false,
  resolved_at: null,
  correction_event_id: null,
  correction_pending: false,
};

export const openDispute = operation({
  id: 'openDispute',
  method: 'POST',
  path: '/public/disputes',
  tag: 'Disputes',
  summary: 'Open a dispute',
  description:
    'Anyone can contest a reported record. Name at least one of subject, event and institution. ' +
    'The answer does not tell whether the ids exist.',
  access: publicAccess,
  limit_class: 'PUBLIC_WRITE',
  params: {},
  body: request({
    subject_id: id().optional(),
    credit_event_id: id().optional(),
    reported_institution_id: id().optional(),
    opened_by: text({ max: 200, description: 'Who contests it.' }),
    reason: enumeration(DisputeReason),
    description: text({ min: 20, max: 5_000 }),
    evidence_links: list(url(['http', 'https'], 2_000), { max: 10 }).default([]),
  }),
  status: 201,
  response: dispute,
  errors: [],
  examples: {
    body: {
      subject_id: disputeExample.subject_id,
      credit_event_id: disputeExample.credit_event_id,
      reported_institution_id: disputeExample.reported_institution_id,
      opened_by: disputeExample.opened_by,
      reason: disputeExample.reason,
      description: disputeExample.description,
      evidence_links: disputeExample.evidence_links,
    },
    response: disputeExample,
  },
});

export const listDisputes = operation({
  id: 'listDisputes',
  method: 'GET',
  path: '/disputes',
  tag: 'Disputes',
  summary: 'List disputes',
  description:
    'Disputes about what your institution reported; for a platform administrator those of the ' +
    'whole network. Newest first.',
  access: anyCredential,
  limit_class: 'STANDARD',
  params: {},
  query: {
    status: enumeration(DisputeStatus).optional(),
    overdue: queryBoolean('Only those past their due date, or only those that are not.').optional(),
    reported_institution_id: id('Platform administrators.').optional(),
    q: text({
      min: 2,
      max: 100,
      description: 'Part of the description or of opened_by.',
    }).optional(),
    environment: oneOf(
      ['live', 'test'],
      'Users: which data to look at, live when left out. A key always sees its own.',
    ).optional(),
    ...page,
  },
  status: 200,
  response: list(dispute),
  paging: 'COUNTED_PAGE',
  errors: [],
  examples: { query: { status: 'OPEN' }, response: [disputeExample] },
});
