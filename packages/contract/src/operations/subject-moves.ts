import { TEXTS } from '@credit/platform/values';
import { platform } from '../access';
import { operation } from '../operation';
import {
  id,
  integer,
  label,
  list,
  named,
  oneOf,
  orNull,
  page,
  queryFlag,
  reply,
  request,
  text,
  timestamp,
} from '../wire';
import recorded from './recorded-answers.json';
import { newSubject } from './subjects';

const moveFields = {
  id: id(),
  kind: oneOf(['MERGE', 'SPLIT']),
  from_subject_id: id('Whose the records were.'),
  to_subject_id: id('Whose they are.'),
  undoes_move_id: orNull(id('The merge that a split took back.')),
  undone_by_move_id: orNull(id('The split that took the merge back.')),
  reason: label(),
  moved_by: id('The administrator.'),
  moved_at: timestamp(),
  account_count: integer({ description: 'Accounts that went, with their events.' }),
  inquiry_count: integer({ description: 'Inquiries that went, refused ones among them.' }),
  dispute_count: integer({ description: 'Disputes about no one account that went.' }),
};

export const subjectMove = named('SubjectMove', reply(moveFields));

const filePreview = named(
  'MovedFilePreview',
  reply({
    subject_id: id(),
    accounts_before: integer(),
    accounts_after: integer(),
    score_before: orNull(integer({ description: 'null while the file cannot be rated.' })),
    score_after: orNull(integer()),
    grade_before: orNull(label()),
    grade_after: orNull(label()),
  }),
);

const moved = named(
  'MovedRecords',
  reply({
    ...moveFields,
    preview: orNull(named('MovePreview', reply({ from: filePreview, to: filePreview }))),
  }),
);

const reason = text({
  ...TEXTS.move_reason,
  description: 'Why, for the network’s own log; members are not shown it.',
});
const dryRun = {
  dry_run: queryFlag(
    'True to see what it would do: it is carried out and taken back, refused as it would be, the ' +
      'answer has `preview` and the header Dry-Run, and its ids are of nothing.',
  ),
};

const examples = {
  subject_id: recorded.createSubject.id,
  other_subject_id: '01990c5e-7c4a-7d21-9a55-3f1b2c4d5e6f',
};

export const mergeSubjects = operation({
  id: 'mergeSubjects',
  method: 'POST',
  path: '/admin/subjects/{subject_id}/merge',
  rpc: [
    'credit.reporting.v1.ReportingService/MergeSubjects',
    'credit.scoring.v1.ScoringService/RehearseSubjectMove',
  ],
  tag: 'Administration',
  summary: 'Merge two subjects',
  description:
    'For one party that was filed twice: all records of the other subject become this one’s, accounts ' +
    'with their events, inquiries, disputes and what the person has put on the file, of which the ' +
    'stricter holds. The other id is answered with 409 and `merged_into` from then on; what ' +
    'identified it finds this subject. Members concerned find `credit.subject.merged` in their feeds. ' +
    'A split takes it back. At most 1,000 accounts with 20,000 events are moved at once.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: { subject_id: id('The subject that stays.') },
  query: dryRun,
  body: request({ other_subject_id: id('The subject that goes.'), reason }),
  status: 201,
  response: moved,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: examples.subject_id },
    body: {
      other_subject_id: examples.other_subject_id,
      reason: 'The same person, filed under an old name by one member.',
    },
    response: recorded.mergeSubjects,
  },
});

export const splitSubject = operation({
  id: 'splitSubject',
  method: 'POST',
  path: '/admin/subjects/{subject_id}/split',
  rpc: [
    'credit.reporting.v1.ReportingService/SplitSubject',
    'credit.scoring.v1.ScoringService/RehearseSubjectMove',
  ],
  tag: 'Administration',
  summary: 'Split a subject',
  description:
    'For a file that holds the records of two. With `move_id` a merge into the subject is taken back: ' +
    'what came with it returns to the other subject under its old id, with accounts that were opened ' +
    'by what identifies it since. A freeze or an alert that was placed since stands on both files, and ' +
    'what was lifted since stands again on the one that goes. Otherwise the named accounts and ' +
    'inquiries go to a subject on file, or to a new one. Members concerned find `credit.subject.split` ' +
    'in their feeds.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: { subject_id: id('The subject whose file it is.') },
  query: dryRun,
  body: request({
    move_id: id('The merge to take back, as the subject’s moves list it.').optional(),
    to_subject_id: id('Where the records go, without a merge to take back.').optional(),
    to_subject: newSubject.optional(),
    account_ids: list(id(), { max: 100 }).optional(),
    inquiry_ids: list(id(), { max: 100 }).optional(),
    reason,
  }),
  status: 201,
  response: moved,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: examples.subject_id },
    body: {
      move_id: recorded.mergeSubjects.id,
      reason: 'Two persons after all: the member has sent both passports.',
    },
    response: recorded.splitSubject,
  },
});

export const listSubjectMoves = operation({
  id: 'listSubjectMoves',
  method: 'GET',
  path: '/admin/subjects/{subject_id}/moves',
  rpc: ['credit.reporting.v1.ReportingService/ListSubjectMoves'],
  tag: 'Administration',
  summary: 'List what was merged and split',
  description: 'The moves from and to a subject, newest first; of one that was merged too.',
  access: platform('PLATFORM_ADMIN'),
  limit_class: 'STANDARD',
  params: { subject_id: id('The subject, or one that was merged into another.') },
  query: page,
  status: 200,
  response: list(subjectMove),
  paging: 'PAGE',
  errors: ['NOT_FOUND'],
  examples: {
    params: { subject_id: examples.subject_id },
    response: recorded.listSubjectMoves,
  },
});
