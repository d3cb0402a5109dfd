import { TEXTS } from '@credit/platform/values';
import { OrganisationKind, SubjectType } from '@credit/proto/reporting/v1/types';
import { scope } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  label,
  list,
  literal,
  named,
  oneOf,
  orNull,
  page,
  reply,
  request,
  text,
  timestamp,
  variants,
} from '../wire';
import recorded from './recorded-answers.json';

export const subject = named(
  'Subject',
  reply({
    id: id(),
    type: enumeration(SubjectType),
    game_uuid: orNull(id('Stable identifier of an individual.')),
    current_username: orNull(label('Individuals; can change.')),
    forum_id: orNull(label()),
    display_name: label('The username, or the trading or legal name.'),
    legal_name: orNull(label('Organisations.')),
    registration_number: orNull(label('Organisations.')),
    trading_name: orNull(label('Organisations.')),
    organisation_kind: orNull(enumeration(OrganisationKind)),
    founded_at: orNull(timestamp('Organisations.')),
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
);

const individualExample = recorded.createSubject;

const name = (description?: string) => text({ ...TEXTS.subject_name, description });

const distinct = {
  confirm_distinct: boolean(
    'True when a subject of the same name is another party. Never passes for the same game_uuid.',
  ).optional(),
  distinct_note: text({
    ...TEXTS.distinct_note,
    description: 'Why it is another party; required with confirm_distinct. Audited.',
  }).optional(),
};

const newIndividual = named(
  'NewIndividual',
  request({
    type: literal(SubjectType.INDIVIDUAL),
    game_uuid: id('Stable identifier of the individual.'),
    current_username: name(),
    forum_id: text(TEXTS.subject_number).optional(),
    ...distinct,
  }),
);

const newOrganisation = named(
  'NewOrganisation',
  request({
    type: literal(SubjectType.ORGANISATION),
    legal_name: name(),
    registration_number: text(TEXTS.subject_number).optional(),
    trading_name: name().optional(),
    organisation_kind: enumeration(OrganisationKind).optional(),
    forum_id: text(TEXTS.subject_number).optional(),
    founded_at: timestamp().optional(),
    ...distinct,
  }),
);

/** Whoever accounts can be reported about, by what it says of itself. */
export const newSubject = variants('type', [newIndividual, newOrganisation]);

export const createSubject = operation({
  id: 'createSubject',
  method: 'POST',
  path: '/subjects',
  tag: 'Subjects',
  rpc: ['credit.reporting.v1.ReportingService/CreateSubject'],
  summary: 'Create a subject',
  description:
    'Registers an individual or an organisation that accounts can be reported about. One that ' +
    'looks like a subject already on file is 409 and `existing_id` names that: read it, or confirm ' +
    'that yours is another party. Names are compared without regard to case, to characters that ' +
    'cannot be seen and to spaces around; a name that shows nothing is 422.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  repeated_by_gateway: true,
  params: {},
  body: newSubject,
  status: 201,
  response: subject,
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      type: 'INDIVIDUAL',
      game_uuid: '5d2f6c1e-8b3a-4f70-9c2d-1e0f9a8b7c6d',
      current_username: 'stonecutter',
      forum_id: 'f-20417',
    },
    response: recorded.createSubject,
  },
});

export const MAX_SUBJECTS = 100;

const resolvedSubject = named(
  'ResolvedSubject',
  reply({
    status: oneOf(
      ['created', 'existing', 'needs_review'],
      '`created`: it was not on file and is now. `existing`: it was, an individual by its ' +
        '`game_uuid`, an organisation by registration number and legal name. `needs_review`: it ' +
        'looks like others on file and was not created.',
    ),
    subject_id: orNull(id('Null when it needs review.')),
    matches: list(
      named(
        'SubjectMatch',
        reply({
          subject_id: id('A subject on file.'),
          field: oneOf(
            ['game_uuid', 'forum_id', 'current_username', 'registration_number', 'legal_name'],
            'What is the same.',
          ),
          message: label('The same in words, and what can be done.'),
        }),
      ),
      { description: 'When it needs review: what it looks like, 10 at most.' },
    ),
  }),
);

export const createSubjects = operation({
  id: 'createSubjects',
  method: 'POST',
  path: '/subjects/bulk',
  tag: 'Subjects',
  rpc: ['credit.reporting.v1.ReportingService/CreateSubjects'],
  summary: 'Find or create up to 100 subjects',
  description:
    'Says of each subject, in the order of the request, who it is: `created` now, `existing`, or ' +
    '`needs_review` with what it looks like. Each stands on its own: one that needs review leaves ' +
    'the others alone. Decide about it as about the 409 of `POST /subjects`: use the subject that ' +
    'it matches, or send it again with `confirm_distinct`. A malformed item is a 422 that names ' +
    'it, and nothing is created. What an earlier item has become is on file for the later ones.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: {},
  body: request({ subjects: list(newSubject, { min: 1, max: MAX_SUBJECTS }) }),
  batch: { field: 'subjects', max: MAX_SUBJECTS },
  status: 201,
  response: named('SubjectBatch', reply({ subjects: list(resolvedSubject) })),
  errors: ['INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      subjects: [
        {
          type: 'INDIVIDUAL',
          game_uuid: individualExample.game_uuid,
          current_username: individualExample.current_username,
        },
        {
          type: 'INDIVIDUAL',
          game_uuid: '7b1c0d9e-2f4a-4b6c-8d8e-9fa0b1c2d3e4',
          current_username: 'Stonecutter',
        },
      ],
    },
    response: recorded.createSubjects,
  },
});

export const updateSubject = operation({
  id: 'updateSubject',
  method: 'PATCH',
  path: '/subjects/{subject_id}',
  tag: 'Subjects',
  rpc: ['credit.reporting.v1.ReportingService/UpdateSubject'],
  summary: 'Rename a subject',
  description:
    'Changes names of a subject. Your institution needs an open account of it, with a principal ' +
    'and reported a day ago or longer; else 403. The old names stay with the subject for 90 days: ' +
    'for others they are taken, and searches go on finding them for good. Whoever created the ' +
    'subject or has an account of it is told, in its audit log and in the feed.',
  access: scope('credit:report', 'records.write'),
  limit_class: 'STANDARD',
  params: { subject_id: id('The subject.') },
  body: request({
    current_username: name('Individuals.').optional(),
    forum_id: text(TEXTS.subject_number).optional(),
    trading_name: name('Organisations.').optional(),
    ...distinct,
  }),
  status: 200,
  response: subject,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    params: { subject_id: individualExample.id },
    body: { current_username: 'mason' },
    response: recorded.updateSubject,
  },
});

export const getSubject = operation({
  id: 'getSubject',
  method: 'GET',
  path: '/subjects/{subject_id}',
  tag: 'Subjects',
  rpc: ['credit.reporting.v1.ReportingService/GetSubject'],
  summary: 'Read a subject',
  description:
    'Who the subject is, as the network knows it. Nothing of its credit: this is no inquiry. A ' +
    'refusal as a duplicate names the subject to read in `existing_id`.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  params: { subject_id: id('The subject.') },
  status: 200,
  response: subject,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { params: { subject_id: individualExample.id }, response: recorded.getSubject },
});

export const getSubjectByGameUuid = operation({
  id: 'getSubjectByGameUuid',
  method: 'GET',
  path: '/subjects/game/{game_uuid}',
  tag: 'Subjects',
  rpc: ['credit.reporting.v1.ReportingService/GetSubjectByGameUuid'],
  summary: 'Look an individual up',
  description: 'Resolves an individual by its game UUID.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  params: { game_uuid: id('The stable identifier of the individual.') },
  status: 200,
  response: subject,
  errors: ['NOT_FOUND'],
  examples: {
    params: { game_uuid: individualExample.game_uuid },
    response: recorded.getSubjectByGameUuid,
  },
});

export const searchSubjects = operation({
  id: 'searchSubjects',
  method: 'GET',
  path: '/subjects',
  tag: 'Subjects',
  rpc: ['credit.reporting.v1.ReportingService/SearchSubjects'],
  summary: 'Search subjects',
  description:
    'Finds subjects whose username, display name, legal name, forum id or registration number ' +
    'holds the text, newest first. Each request looks at a bounded number of subjects: where very many hold parts of the ' +
    'text but few the whole, a page may hold fewer than `limit` items, even none, and still have ' +
    'a next page. The listing is complete once there is no `Link` to a next page.',
  access: scope('credit:read', 'credit.read'),
  limit_class: 'STANDARD',
  params: {},
  query: {
    q: text({ ...TEXTS.search, description: 'Part of a name or number, in any case.' }),
    ...page,
  },
  status: 200,
  response: list(subject),
  paging: 'PAGE',
  errors: [],
  examples: { query: { q: 'stone' }, response: recorded.searchSubjects },
});
