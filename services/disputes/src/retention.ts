// How long each table of this service is kept, why, and what deletes it.

import {
  forGood,
  goesWith,
  KEYED_TABLES,
  PLATFORM_TABLES,
  type RetentionPolicies,
  writtenOver,
} from '@credit/platform/db';

export const RETENTION: RetentionPolicies = {
  ...PLATFORM_TABLES,
  ...KEYED_TABLES,
  account_reviews: writtenOver('one row an account that was reviewed'),
  dispute_answers: forGood('law', 'what furnishers answered'),
  dispute_institutions: goesWith('disputes', 'law', 'whom it is about'),
  dispute_links: goesWith('disputes', 'need', 'of each a hash'),
  dispute_moves: forGood('law', 'what was decided'),
  dispute_reviews: goesWith('disputes', 'law', 'what it had under review'),
  disputes: {
    kept: "for good; the opener's address 90 days after the outcome",
    job: 'sweep-contacts',
    ground: 'law',
    why: 'what was contested, and what came of it',
  },
  sandboxes: writtenOver('one row an institution, of test data'),
  subject_merges: writtenOver('one row a merged subject'),
};
