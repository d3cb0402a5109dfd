// How long each table of each service is kept, why, and what deletes it: the one place. A test holds it against
// the schemas and the jobs; docs/RETENTION.md is made of it.

import { statement } from './statement';

/** What a time is owed to: a law (docs/LAW.md), what members are promised, or what a purpose takes. */
type Ground = 'law' | 'contract' | 'need';

/** How long rows are kept. */
export interface TablePolicy {
  /** In words, for the table in the documentation. */
  readonly kept: string;
  /** The background work or scheduled job that deletes them; undefined where nothing does by itself. */
  readonly job?: string;
  readonly ground: Ground;
  readonly why: string;
  /** What a row's end is told by, and how many days after it the row is gone; of an indexed timestamptz. */
  readonly ends?: { readonly column: string; readonly days: number };
}

type Policies = Readonly<Record<string, TablePolicy>>;

const good = (ground: Ground, why: string): TablePolicy => ({ kept: 'for good', ground, why });
/** Few rows that are written over, never more than there is of what they are about. */
const bounded = (why: string): TablePolicy => ({ kept: 'written over', ground: 'need', why });
/** Rows that go with those of another table. */
const goesWith = (of: string, ground: Ground, why: string): TablePolicy => ({
  kept: `as long as its row of \`${of}\``,
  ground,
  why,
});

function swept(
  job: string,
  kept: string,
  ground: Ground,
  why: string,
  column?: string,
  days = 0,
): TablePolicy {
  const policy = { kept, job, ground, why };
  return column === undefined ? policy : { ...policy, ends: { column, days } };
}

/** Of every service that keeps data. */
const PLATFORM: Policies = {
  dead_letters: good('need', 'an operator takes it in again or discards it'),
  inbox: swept(
    'sweep-platform',
    '30 days',
    'need',
    'for so long an event can come again',
    'processed_at',
    30,
  ),
  outbox: swept(
    'sweep-platform',
    '14 days after it was published',
    'need',
    'a stream that was lost is filled anew from it',
    'published_at',
    14,
  ),
  outbox_leases: bounded('one row a partition'),
  outbox_state: bounded('one row'),
};
const KEYED: Policies = {
  idempotency_records: swept(
    'sweep-platform',
    'as long as a key is known',
    'contract',
    'a request that is repeated has one effect',
    'expires_at',
  ),
};
const daily = good('need', 'counts, a few rows a day');
const hourly = (job: string) =>
  swept(job, '3 days', 'need', 'then it is counted by the day', 'hour', 4);
const TREE = good('law', 'proves what was signed; of hashes alone');

const MAIL = 'shows what was sent, while somebody may ask';

/** Each table of each service, by its name. */
export const RETENTION: Readonly<Record<string, Policies>> = {
  identity: {
    ...PLATFORM,
    access_links: swept(
      'sweep',
      'a day after its end',
      'need',
      'opens a file once',
      'expires_at',
      1,
    ),
    access_lock: bounded('one row'),
    access_tokens: swept('sweep', 'a day after its end', 'need', 'lets in', 'expires_at', 1),
    api_keys: good('contract', 'the log names them; of each a hash, a few an institution'),
    applications: good('contract', 'who was let into the network, by whom and why'),
    attempts: swept('sweep', 'as long as it counts', 'need', 'guesses', 'window_ends_at'),
    audit_chains: bounded('the head of each log'),
    audit_checkpoints: good('law', 'shows that nothing of a log was changed'),
    audit_events: {
      kept: '84 months (`AUDIT_RETENTION_MONTHS`) once `audit-export --drop` is run, then in sealed files',
      ground: 'law',
      why: 'who did what, and who looked',
    },
    audit_export_ends: good('law', 'what the log began with before it was dropped'),
    audit_exports: good('law', 'which months are kept in files, with their seals'),
    contact_requests: good('contract', 'what was asked and answered'),
    dispute_mail_items: goesWith('dispute_mails', 'need', MAIL),
    dispute_mails: swept('sweep', '90 days', 'need', MAIL, 'created_at', 90),
    dispute_notices: swept(
      'sweep',
      '90 days',
      'need',
      'reminds before a dispute is due',
      'created_at',
      90,
    ),
    dispute_opener_mails: goesWith('dispute_openers', 'need', MAIL),
    dispute_openers: swept(
      'sweep',
      '90 days after the outcome',
      'law',
      'an address is kept while it may be needed',
      'decided_at',
      90,
    ),
    institutions: good('contract', 'who members are and were'),
    invitation_mails: goesWith('invitations', 'need', MAIL),
    invitation_tokens: goesWith('invitations', 'need', 'of each a hash'),
    invitations: good('contract', 'who was invited by whom; the log names them'),
    merkle_tiles: TREE,
    password_reset_mails: goesWith('password_resets', 'need', MAIL),
    password_reset_tokens: goesWith('password_resets', 'need', 'of each a hash'),
    password_resets: swept(
      'sweep',
      'a day after its end',
      'need',
      'sets a password once',
      'expires_at',
      1,
    ),
    person_contact_requests: swept(
      'sweep',
      'to its end',
      'law',
      'an address that nobody confirmed',
      'expires_at',
    ),
    person_contact_tokens: goesWith('person_contact_requests', 'need', 'of each a hash'),
    person_contacts: {
      kept: 'until the person, a move of the file or a new address ends it',
      ground: 'law',
      why: 'where the person wants to be told',
    },
    person_mails: swept('sweep', '30 days', 'need', MAIL, 'created_at', 30),
    person_news: swept('sweep', '30 days', 'need', 'is told once', 'created_at', 30),
    person_sessions: swept('sweep', 'a day after its end', 'need', 'lets in', 'expires_at', 1),
    person_sign_ins: swept(
      'sweep',
      'an hour after its end',
      'need',
      'begins once',
      'expires_at',
      1,
    ),
    rate_counters: swept('sweep', 'as long as it counts', 'need', "a key's limits, with the key"),
    recovery_codes: goesWith('second_factors', 'need', 'of each a hash'),
    refresh_tokens: swept('sweep', 'a day after its end', 'need', 'lets in', 'expires_at', 1),
    second_factor_mails: swept('sweep', '90 days', 'need', MAIL, 'created_at', 90),
    second_factors: goesWith('users', 'need', 'until it is taken off'),
    sessions: swept('sweep', 'until its last token is gone', 'need', 'lets in'),
    sign_in_challenges: swept(
      'sweep',
      'to its end',
      'need',
      'asks for a second factor',
      'expires_at',
    ),
    users: good('contract', 'the log names them; who is gone is disabled'),
  },
  reporting: {
    ...PLATFORM,
    ...KEYED,
    account_directory: good('contract', 'finds an account by its id'),
    account_totals: bounded('counts by institution'),
    accounts: good('contract', 'the record; what may be shown of it is for the model and the laws'),
    corrected_disputes: good('contract', 'part of the health of reporting'),
    credit_events: good('contract', 'the record: added to and never changed'),
    daily_totals: daily,
    event_log_entries: good('law', 'proves what an institution reported'),
    event_log_progress: bounded('one row'),
    event_logs: bounded('one row an institution'),
    file_entries: good('law', 'what people put on their files, as it read at any time'),
    health_accounts: bounded('the worst of each book'),
    health_days: swept(
      'health-keeper',
      'as many days as are shown',
      'contract',
      "an institution's health",
    ),
    hourly_totals: hourly('fold-hours'),
    identifier_collisions: good('need', 'people decide about them'),
    import_faulty_rows: goesWith('imports', 'contract', 'what was wrong with a file'),
    import_mappings: good('contract', 'until the institution deletes it'),
    import_pieces: swept(
      'sweep-imports',
      'until the file is written',
      'need',
      'the file as it came',
    ),
    import_row_keys: swept('sweep-imports', 'until the file is written', 'need', 'once in a file'),
    imports: swept('sweep-imports', '30 days', 'contract', 'what came of a file', 'expires_at'),
    inquiries: good('law', 'who looked; the person is shown two years of it'),
    inquiry_voidings: good('contract', 'an outcome is carried out once'),
    known_disputes: good('contract', 'what was contested stays known'),
    merkle_tiles: TREE,
    name_normalisation: bounded('one row'),
    openings_of_merged: good('contract', 'a subject can be split off again'),
    refused_inquiries: good('law', 'who was refused a look; the person is shown two years of it'),
    rejections: swept('sweep', '7 days', 'contract', 'what was refused of reporting'),
    reporting_days: good('contract', 'counts, a few rows a day and institution'),
    sandboxes: bounded('one row an institution, of test data'),
    state_refolds: bounded('one row a version'),
    subject_former_names: good('contract', 'finds who was called so; given up names stay reserved'),
    subject_grams: goesWith('subjects', 'need', 'finds by pieces of names'),
    subject_heads: goesWith('subjects', 'need', 'the lock and the count of changes'),
    subject_identities: goesWith('subjects', 'need', 'who holds a name'),
    subject_move_records: goesWith('subject_moves', 'contract', 'what went with a move'),
    subject_moves: good('contract', 'which file went where, and back'),
    subject_requests: swept(
      'sweep',
      'as long as it is a proof',
      'need',
      'that a person asked',
      'asked_at',
      30,
    ),
    subjects: good('contract', 'the record'),
    submission_days: good('contract', 'counts, a few rows a day and institution'),
    told_corrections: good('law', 'who was told of a correction; the file names them'),
    told_notices: good('law', 'the same are told when it is gone'),
  },
  scoring: {
    ...PLATFORM,
    account_projections: bounded('one row an account, as reporting has it'),
    inquiry_projections: swept('sweep', '731 days', 'contract', 'older looks count in nothing'),
    reconciliation: bounded('one row an environment'),
    report_documents: swept('sweep', "to the report's end", 'contract', 'the document'),
    report_tickets: swept('sweep', 'to its end', 'need', 'fetches a document once', 'expires_at'),
    reports: good('law', 'what somebody was told stays told; without its document'),
    score_snapshots: good('law', 'which score was in force, and why'),
    subject_heads: bounded('one row a subject'),
  },
  disputes: {
    ...PLATFORM,
    ...KEYED,
    account_reviews: bounded('one row an account that was reviewed'),
    dispute_answers: good('law', 'what furnishers answered'),
    dispute_institutions: goesWith('disputes', 'law', 'whom it is about'),
    dispute_links: goesWith('disputes', 'need', 'of each a hash'),
    dispute_moves: good('law', 'what was decided'),
    dispute_reviews: goesWith('disputes', 'law', 'what it had under review'),
    disputes: {
      kept: "for good; the opener's address 90 days after the outcome",
      job: 'sweep-contacts',
      ground: 'law',
      why: 'what was contested, and what came of it',
    },
    sandboxes: bounded('one row an institution, of test data'),
    subject_merges: bounded('one row a merged subject'),
  },
  webhooks: {
    ...PLATFORM,
    attempts: goesWith('deliveries', 'contract', 'what a receiver answered'),
    daily_totals: daily,
    deliveries: swept(
      'sweep-expired',
      '90 days',
      'contract',
      'what was sent, when and with what outcome',
    ),
    endpoints: goesWith('subscriptions', 'need', "the sender's state"),
    events: swept(
      'sweep-expired',
      '121 days',
      'need',
      'the text that a delivery needs',
      'recorded_at',
      121,
    ),
    feed: swept(
      'sweep-expired',
      '30 days',
      'contract',
      'what an institution may read again',
      'recorded_at',
      30,
    ),
    feed_heads: bounded('one row an institution'),
    hourly_totals: hourly('sweep-expired'),
    institutions: bounded("a copy of identity's"),
    subscription_counts: bounded('one row an institution'),
    subscriptions: good('contract', 'until it is deleted by its institution; the log names it'),
    test_sends: swept('sweep-expired', 'as long as it counts', 'need', 'limits', 'window_ends_at'),
  },
};

/**
 * How many seconds the oldest row of each table is past its end; none of a service without tables. Names come
 * from here alone.
 */
export function overdueStatement(service: string) {
  const parts = Object.entries(RETENTION[service] ?? {}).flatMap(([table, { ends }]) =>
    ends === undefined
      ? []
      : `SELECT '${table}' AS "table", greatest(0, extract(epoch FROM
           now() - interval '${ends.days} days' - (SELECT min(${ends.column}) FROM ${table})
         ))::float8 AS overdue_s`,
  );
  if (parts.length === 0) return undefined;
  return statement<{ table: string; overdue_s: number }>(
    `retention_overdue_${service}`,
    parts.join('\nUNION ALL\n'),
  );
}
