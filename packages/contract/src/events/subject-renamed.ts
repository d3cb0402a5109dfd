import { id, list, named, oneOf, timestamp } from '../wire';
import { eventBody } from './webhook-event';

/** In the feed of whoever created the subject or reports about it. */
export const subjectRenamed = named(
  'SubjectRenamedEvent',
  eventBody('subject.renamed', {
    subject_id: id('Read it for its names: they stay out of events.'),
    changed_fields: list(oneOf(['current_username', 'forum_id', 'trading_name'])),
    renamed_at: timestamp(),
  }),
);
