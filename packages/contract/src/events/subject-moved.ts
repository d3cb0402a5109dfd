import { id, list, named, orNull, timestamp } from '../wire';
import { eventBody } from './webhook-event';

const told = {
  move_id: id(),
  from_subject_id: id('Whose the records were.'),
  to_subject_id: id('Whose they are.'),
  account_ids: list(id(), {
    description: 'Your own accounts that went along; others’ are not told.',
  }),
};

/** In the feed of whoever created one of the subjects, reports about it or looked at it of late. */
export const subjectMerged = named(
  'SubjectMergedEvent',
  eventBody('credit.subject.merged', { ...told, moved_at: timestamp() }),
);

/** In the same feeds: a merge was taken back, or single records went to the subject they are about. */
export const subjectSplit = named(
  'SubjectSplitEvent',
  eventBody('credit.subject.split', {
    ...told,
    undoes_move_id: orNull(id('The merge that was taken back.')),
    moved_at: timestamp(),
  }),
);
