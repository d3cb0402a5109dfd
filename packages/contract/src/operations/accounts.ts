import { TEXTS } from '@credit/platform/values';
import {
  AccountStatus,
  AccountType,
  Bucket,
  InterestType,
  PaymentFrequency,
} from '@credit/proto/reporting/v1/types';
import { scope } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  integer,
  label,
  list,
  metadata,
  money,
  moneySum,
  named,
  orNull,
  page,
  queryFlag,
  reply,
  request,
  requestWithOneOf,
  text,
  timestamp,
} from '../wire';
import recorded from './recorded-answers.json';
import { newSubject } from './subjects';

export const MAX_ACCOUNTS = 100;

/** Of every operation that reports something. */
export const dryRun = {
  dry_run: queryFlag(
    'True to have the request checked against the record and see what it would give: 200 with ' +
      'the header Dry-Run, nothing written, new ids shown as the nil UUID. No Idempotency-Key ' +
      'is needed, and one that is sent stays unused.',
  ),
};

const MAX_INTEREST_BPS = 100_000;

const externalAccountId = () =>
  text({
    ...TEXTS.external_account_id,
    description: 'Your own ledger identifier, unique within your institution.',
  });

const currency = (description?: string) =>
  text({
    min: 3,
    max: 3,
    pattern: /^[A-Z]{3}$/,
    pattern_name: 'three capital letters',
    ...(description === undefined ? {} : { description }),
  });
const interestRate = () => integer({ min: 0, max: MAX_INTEREST_BPS, description: 'Basis points.' });

/** What a CORRECTION of ACCOUNT_OPENED puts right: those facts that are given. */
export const correctedAccount = named(
  'CorrectedAccount',
  request({
    account_type: enumeration(AccountType).optional(),
    currency: currency().optional(),
    original_principal: money().optional(),
    interest_rate_bps: interestRate().optional(),
    interest_type: enumeration(InterestType).optional(),
    opened_at: timestamp('Not after any event of the account.').optional(),
    maturity_at: timestamp('Not before opened_at.').optional(),
    payment_frequency: enumeration(PaymentFrequency).optional(),
  }),
);

/** Those facts that a correction of ACCOUNT_OPENED has put right, as an event shows them. */
export const correctedFacts = named(
  'CorrectedFacts',
  reply({
    account_type: orNull(enumeration(AccountType)),
    currency: orNull(label()),
    original_principal: orNull(money()),
    interest_rate_bps: orNull(integer()),
    interest_type: orNull(enumeration(InterestType)),
    opened_at: orNull(timestamp()),
    maturity_at: orNull(timestamp()),
    payment_frequency: orNull(enumeration(PaymentFrequency)),
  }),
);

/** What a furnisher says when it reports again what a dispute had taken off the record. */
export const certification = () =>
  text({
    ...TEXTS.certification,
    description:
      'What you verified and how, when the outcome of a dispute took this off the record before: ' +
      'without it that is 409 (REINSERTION). Whoever disputed it is told.',
  });

const newAccountFields = {
  external_account_id: externalAccountId(),
  account_type: enumeration(AccountType),
  currency: currency('DCR when left out.').optional(),
  original_principal: money(),
  current_balance: money('The original principal when left out.').optional(),
  interest_rate_bps: interestRate().optional(),
  interest_type: enumeration(InterestType).optional(),
  opened_at: timestamp('At most 100 years ago.'),
  maturity_at: timestamp('Not before opened_at.').optional(),
  payment_frequency: enumeration(PaymentFrequency).optional(),
  status: enumeration(AccountStatus, {
    without: ['DISPUTED'],
    description: 'CURRENT when left out. PAID and CANCELLED need a balance of 0.',
  }).optional(),
  first_delinquency_at: timestamp(
    'Of an adverse status: when the trouble began, between opened_at and now. Days past due ' +
      'count from it; left out, from status_since or else from this report.',
  ).optional(),
  status_since: timestamp(
    'Since when the account has had this status, between first_delinquency_at and now.',
  ).optional(),
  certification: certification().optional(),
  metadata: metadata('Integration context that is not sensitive.').optional(),
};

const newAccount = named('NewAccount', request({ subject_id: id(), ...newAccountFields }));

const newAccountOfBatch = named(
  'NewAccountOfBatch',
  requestWithOneOf(
    {
      subject_id: id('This, or `subject`.').optional(),
      subject: newSubject.optional(),
      ...newAccountFields,
    },
    ['subject_id', 'subject'],
  ),
);

/** An account as its institution reads it. */
export const account = named(
  'Account',
  reply({
    id: id(),
    institution_id: id(),
    subject_id: id(),
    external_account_id: label(),
    account_type: enumeration(AccountType),
    currency: label(),
    original_principal: money(),
    current_balance: money(),
    interest_rate_bps: orNull(integer()),
    interest_type: orNull(enumeration(InterestType)),
    opened_at: timestamp(),
    maturity_at: orNull(timestamp()),
    payment_frequency: orNull(enumeration(PaymentFrequency)),
    status: enumeration(AccountStatus, { description: 'DISPUTED while a dispute flag is open.' }),
    metadata: orNull(metadata()),
    closed_at: orNull(timestamp()),
    first_delinquency_at: orNull(timestamp('Where the latest spell of trouble began.')),
    status_since: orNull(timestamp('Since when the account has stood so, under any dispute flag.')),
    days_past_due: integer({
      description:
        'Days since the first adverse event of the spell: 30 at least once it is delinquent, 90 ' +
        'once it is in default or written off.',
    }),
    bucket: enumeration(Bucket),
    voided: boolean('Taken off the file by a CORRECTION of its ACCOUNT_OPENED.'),
    suppressed: boolean(
      'A dispute leaves it out until it is decided: nobody but you and the person sees it.',
    ),
    open_dispute_count: integer({ description: 'Disputes about it without an outcome.' }),
    version: integer({ description: "Counts the account's changes, from 1." }),
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
);

const newAccountExample = {
  subject_id: '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f',
  external_account_id: 'loan-2026-00017',
  account_type: 'TERM_LOAN',
  currency: 'DCR',
  original_principal: 12000,
  current_balance: 8420.75,
  interest_rate_bps: 899,
  interest_type: 'FIXED',
  opened_at: '2026-01-10T00:00:00Z',
  maturity_at: '2029-01-10T00:00:00Z',
  payment_frequency: 'MONTHLY',
  metadata: { branch: 'north' },
};

/** As it is once the payment of the examples was reported. */
const accountExample = recorded.getAccount;

export const createAccount = operation({
  id: 'createAccount',
  method: 'POST',
  path: '/accounts',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/CreateAccount'],
  summary: 'Report an account',
  description:
    'Puts an account on file together with its ACCOUNT_OPENED event. The next profile read of ' +
    'the subject shows it.',
  access: scope('accounts:write', 'records.write'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: {},
  query: dryRun,
  body: newAccount,
  status: 201,
  response: account,
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { body: newAccountExample, response: recorded.createAccount },
});

export const createAccounts = operation({
  id: 'createAccounts',
  method: 'POST',
  path: '/accounts/bulk',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/CreateAccounts'],
  summary: 'Report up to 100 accounts',
  description:
    'All of them are put on file or none. The answer holds them in the order of the request. ' +
    'Errors name the item by its index. An item gives `subject_id`, or `subject` as ' +
    '`POST /subjects/bulk` takes it: that is found on file or created with the accounts. One that ' +
    'needs review refuses the batch: the 409 names every such item in `details`, with the ' +
    '`existing_id` that it looks like. With `subject` the key needs the scope `credit:report` too.',
  access: scope('accounts:write', 'records.write'),
  limit_class: 'STANDARD',
  idempotent: true,
  params: {},
  query: dryRun,
  body: request({ accounts: list(newAccountOfBatch, { min: 1, max: MAX_ACCOUNTS }) }),
  batch: { field: 'accounts', max: MAX_ACCOUNTS },
  status: 201,
  response: named('AccountBatch', reply({ accounts: list(account) })),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: {
    body: {
      accounts: [
        {
          ...newAccountExample,
          external_account_id: 'loan-2026-00018',
          original_principal: 3000,
          current_balance: 2850.5,
        },
      ],
    },
    response: recorded.createAccounts,
  },
});

/** What lists of accounts are narrowed by. */
const accountFilter = {
  subject_id: id('Only accounts of this subject.').optional(),
  status: enumeration(AccountStatus, { description: 'Only accounts in this status.' }).optional(),
  external_account_id: externalAccountId().optional(),
  updated_since: timestamp(
    'Only accounts with an event that was recorded at this time or later (`updated_at`); not beside ' +
      'status or external_account_id.',
  ).optional(),
};

export const listAccounts = operation({
  id: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/ListAccounts'],
  summary: 'List accounts',
  description:
    'The accounts that your institution reports, newest first. With `updated_since`, in the order of ' +
    'their latest event: read all pages, keep the `X-Next-Updated-Since` of any of them, and ask with ' +
    'it next time. Nothing that was acknowledged is missed, whoever writes meanwhile; changes of the ' +
    'last minute or so come again.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: {},
  query: { ...accountFilter, ...page },
  status: 200,
  response: list(account),
  paging: 'CHANGES_PAGE',
  errors: ['INVALID_STATE_TRANSITION'],
  examples: { query: { status: 'CURRENT' }, response: recorded.listAccounts },
});

/** The columns of the file of accounts, by the names that fields have in JSON. */
export const ACCOUNT_COLUMNS = [
  'id',
  'subject_id',
  'external_account_id',
  'account_type',
  'currency',
  'original_principal',
  'current_balance',
  'interest_rate_bps',
  'interest_type',
  'opened_at',
  'maturity_at',
  'payment_frequency',
  'status',
  'closed_at',
  'first_delinquency_at',
  'status_since',
  'days_past_due',
  'bucket',
  'voided',
  'open_dispute_count',
  'version',
  'created_at',
  'updated_at',
  'metadata',
  // New columns come last, as programs may go by the place.
  'suppressed',
] as const;

export const exportAccounts = operation({
  id: 'exportAccounts',
  method: 'GET',
  path: '/accounts.csv',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/ListAccounts'],
  summary: 'Download your accounts',
  description:
    'All accounts that your institution reports, or those of a filter, as CSV (RFC 4180, UTF-8), in ' +
    'the order of the list and as fast as you read. The first line names the columns: ' +
    `${ACCOUNT_COLUMNS.map((name) => `\`${name}\``).join(', ')}; \`metadata\` is JSON, and what ` +
    'is missing is empty. A text that a spreadsheet would take for a formula has an apostrophe ' +
    'before it. Each account is as it stood when its line was written. A file that breaks off, ' +
    'instead of ending, is not whole: ask again. Two of an institution can be read at once, each ' +
    'for an hour at most.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  query: accountFilter,
  status: 200,
  stream: ['text/csv'],
  errors: ['INVALID_STATE_TRANSITION'],
  examples: { query: { status: 'CURRENT' } },
});

/** No book has more accounts. */
const count = (description?: string) =>
  integer({ min: 0, max: Number.MAX_SAFE_INTEGER, ...(description && { description }) });

export const getAccountSummary = operation({
  id: 'getAccountSummary',
  method: 'GET',
  path: '/accounts/summary',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/GetAccountSummary'],
  summary: 'Summarise your accounts',
  description:
    'How many accounts your institution has on file and what they come to, by currency and status. ' +
    'It is kept with every change, so that it is exact at once and costs the same for a book of ' +
    'any size. Sums beyond 92,233,720,368,547,758.07 are shown as that.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: {},
  status: 200,
  response: named(
    'AccountSummary',
    reply({
      account_count: count('On file, in any status.'),
      disputed_count: count('Of these, under a dispute flag: their status is DISPUTED.'),
      voided_count: count('Taken off the file; in no other figure here.'),
      last_reported_at: orNull(
        timestamp(
          'When the latest event of any of your accounts was recorded; one of the network counts ' +
            'too. Null without an account.',
        ),
      ),
      groups: list(
        named(
          'AccountGroup',
          reply({
            currency: label(),
            status: enumeration(AccountStatus),
            account_count: count(),
            balance: moneySum('Sum of the current balances.'),
            original_principal: moneySum('Sum of what was lent.'),
            credit_limit: moneySum('Sum of the limits of accounts that have one.'),
          }),
        ),
        {
          description:
            'By currency and status, those with an account. Of more than 1,000, the largest.',
        },
      ),
      groups_left_off: integer({ min: 0, description: 'Groups beyond these 1,000.' }),
    }),
  ),
  errors: [],
  examples: {
    response: recorded.getAccountSummary,
  },
});

export const getAccount = operation({
  id: 'getAccount',
  method: 'GET',
  path: '/accounts/{account_id}',
  tag: 'Accounts',
  rpc: ['credit.reporting.v1.ReportingService/GetAccount'],
  summary: 'Read an account',
  description: 'One of the accounts that your institution reports, as it stands now.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  params: { account_id: id('The account.') },
  status: 200,
  response: account,
  errors: ['NOT_FOUND'],
  examples: { params: { account_id: accountExample.id }, response: recorded.getAccount },
});

export const getAccountPayments = operation({
  id: 'getAccountPayments',
  method: 'GET',
  path: '/accounts/{account_id}/payments',
  tag: 'Accounts',
  rpc: ['credit.scoring.v1.ScoringService/GetAccountPayments'],
  summary: 'Read how an account was paid',
  description:
    'The payment grid of one of your accounts, as a report has it of each trade line. It is made of ' +
    'what you reported alone, so that no inquiry is recorded.',
  access: scope('credit:report', 'records.read'),
  limit_class: 'STANDARD',
  may_lag: true,
  params: { account_id: id('The account.') },
  status: 200,
  response: named(
    'AccountPayments',
    reply({
      account_id: id(),
      as_of: timestamp('The day that the grid ends with.'),
      payment_grid: label(
        '24 characters, one a month, newest first: `0` kept, `1` late by 1 to 29 days, `2` by 30, ' +
          '`3` by 60, `4` by 90, `5` by 120 or more, `D` in default, `W` written off, `-` nothing known.',
      ),
      on_time_24m: integer({ description: 'Months that were paid and not late.' }),
      late_24m: integer({ description: 'Months that were late.' }),
      worst_bucket_24m: enumeration(Bucket),
    }),
  ),
  errors: ['NOT_FOUND'],
  examples: {
    params: { account_id: accountExample.id },
    response: recorded.getAccountPayments,
  },
});
