// How long each table of this service is kept, why, and what deletes it.

import {
  forGood,
  PLATFORM_TABLES,
  type RetentionPolicies,
  swept,
  writtenOver,
} from '@credit/platform/db';

export const RETENTION: RetentionPolicies = {
  ...PLATFORM_TABLES,
  account_projections: writtenOver('one row an account, as reporting has it'),
  inquiry_projections: swept('sweep', '731 days', 'contract', 'older looks count in nothing'),
  reconciliation: writtenOver('one row an environment'),
  report_documents: swept('sweep', "to the report's end", 'contract', 'the document'),
  report_tickets: swept('sweep', 'to its end', 'need', 'fetches a document once', 'expires_at'),
  reports: forGood('law', 'what somebody was told stays told; without its document'),
  score_snapshots: forGood('law', 'which score was in force, and why'),
  subject_heads: writtenOver('one row a subject'),
};
