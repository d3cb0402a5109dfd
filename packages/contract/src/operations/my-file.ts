import { TEXTS } from '@credit/platform/values';
import {
  AccountStatus,
  AccountType,
  AlertKind,
  Bucket,
  CorrectionChange,
  EventType,
  InquiryRefusal,
  InquiryType,
  InterestType,
  PaymentFrequency,
  Purpose,
  StatedRecord,
} from '@credit/proto/reporting/v1/types';
import type { z } from 'zod';
import { person } from '../access';
import { operation } from '../operation';
import {
  boolean,
  enumeration,
  id,
  integer,
  keptAsText,
  label,
  list,
  money,
  named,
  oneOf,
  orNull,
  page,
  reply,
  text,
  timestamp,
} from '../wire';
import { factor, reasonCode } from './credit';
import { creditEvent } from './events';
import recorded from './recorded-answers.json';
import { subject } from './subjects';

/** An institution by its name. */
export const institution = (description: string) =>
  named(
    'NamedInstitution',
    reply({
      id: id(description),
      name: orNull(label('null of the fictional ones of the sandbox.')),
    }),
  );

const account = named(
  'MyAccount',
  reply({
    id: id(),
    furnisher: institution('Who reports it.'),
    external_account_id: label('What the account is in the furnisher’s own books.'),
    account_type: enumeration(AccountType),
    currency: label(),
    original_principal: money(),
    current_balance: money(),
    credit_limit: orNull(money('Of revolving credit.')),
    interest_rate_bps: orNull(integer()),
    interest_type: orNull(enumeration(InterestType)),
    opened_at: timestamp(),
    maturity_at: orNull(timestamp()),
    payment_frequency: orNull(enumeration(PaymentFrequency)),
    status: enumeration(AccountStatus, { description: 'DISPUTED while a dispute flag is open.' }),
    status_since: orNull(timestamp('Since when it has stood so, under any dispute flag.')),
    closed_at: orNull(timestamp()),
    first_delinquency_at: orNull(timestamp('Where the latest spell of trouble began.')),
    days_past_due: integer(),
    bucket: enumeration(Bucket),
    voided: boolean(
      'Taken off the file by a correction: nobody but its furnisher and you sees it.',
    ),
    suppressed: boolean(
      'Left out by a dispute until that is decided: nobody but its furnisher and you sees it.',
    ),
    open_dispute_count: integer({ description: 'Disputes about it without an outcome.' }),
    created_at: timestamp('When it was put on file.'),
    updated_at: timestamp('When its last event was recorded.'),
    events: list(creditEvent, {
      description:
        'The newest events, the last recorded first, corrected ones among them: 100 at most, and ' +
        'fewer of each account from 21 accounts on.',
    }),
    next_cursor: orNull(
      label('Ask `GET /my/accounts/{account_id}/events` with it for the events before these.'),
    ),
  }),
);

const inquiry = named(
  'MyInquiry',
  reply({
    id: id(),
    institution: institution('Who looked.'),
    purpose: enumeration(Purpose, { description: 'What for, as it said.' }),
    inquiry_type: enumeration(InquiryType, {
      description: 'HARD can cost points for a while, SOFT never does.',
    }),
    created_at: timestamp(),
    duplicate_of: orNull(id('The same inquiry within 24 hours: this one has no effect.')),
    voided_at: orNull(timestamp('When the outcome of a dispute took its effect away.')),
    refusal: orNull(
      enumeration(InquiryRefusal, { description: 'Why it was refused: then it showed nothing.' }),
    ),
    consent_reference: orNull(
      label('How the institution names the consent that it says you gave; of HARD inquiries.'),
    ),
  }),
);

/** What the file holds; its canonical text is what `content_hash` is of. */
export const myFileContent = named(
  'MyFileContent',
  reply({
    subject,
    score: reply({
      score: orNull(integer({ min: 300, max: 850, description: 'null when not rated.' })),
      score_range: reply({ min: integer(), max: integer() }),
      grade: orNull(label('A to E.')),
      band: label('EXCEPTIONAL, VERY_GOOD, GOOD, FAIR, POOR or NOT_RATED.'),
      confidence: label('LOW, MEDIUM or HIGH.'),
      model_version: label('Which version of the model it is by.'),
      payment_index: orNull(integer({ description: 'Of an organisation.' })),
      factors: list(factor),
      reason_codes: list(reasonCode),
    }),
    accounts: list(account, {
      description: 'Whoever reports them, the oldest first, 500 at most.',
    }),
    has_more_accounts: boolean('True when these are not all.'),
    inquiries: list(inquiry, {
      description: 'Whoever looked in the last 24 months, the newest first, 500 at most.',
    }),
    has_more_inquiries: boolean('True when these are not all.'),
    corrections: list(
      named(
        'MyCorrection',
        reply({
          correction_event_id: id('The event that corrects.'),
          credit_event_id: id('The event that was corrected.'),
          account_id: id(),
          event_type: enumeration(EventType, { description: 'What it was reported as.' }),
          change: enumeration(CorrectionChange, { description: 'What became of it.' }),
          told: list(
            reply({
              institution: institution('Who was told.'),
              at: timestamp('When it was put on record, and told.'),
            }),
            { description: 'Who reports it, and who had looked at the file in six months.' },
          ),
        }),
      ),
      {
        description:
          'Corrections of which those were told who had looked: of disputes, and of what was reported ' +
          'against you. The newest first, 100 at most.',
      },
    ),
    moves: list(
      named(
        'MyMove',
        reply({
          kind: oneOf(
            ['MERGE', 'SPLIT'],
            'MERGE: two files were taken for one party’s and put together. SPLIT: records were taken ' +
              'for another party’s.',
          ),
          came: boolean('Whether the records came to this file; false when they went from it.'),
          moved_at: timestamp(),
          account_count: integer({ description: 'Accounts that went along, with their events.' }),
          inquiry_count: integer({ description: 'Inquiries that did, refused ones among them.' }),
          dispute_count: integer({ description: 'Disputes about no one account that did.' }),
        }),
      ),
      {
        description:
          'Records that the network put on the file or took off it, the newest first, 100 at most. ' +
          'What came and is not yours you can contest like any other entry.',
      },
    ),
    file_freeze: reply({
      frozen_since: orNull(timestamp('null while the file is not frozen.')),
      thaws: list(
        reply({
          id: id(),
          institution: orNull(institution('Whom the file is open to; null is everybody.')),
          starts_at: timestamp(),
          ends_at: orNull(timestamp('null until it is withdrawn.')),
        }),
        { description: 'Exceptions from the freeze that are not over.' },
      ),
    }),
    alerts: list(
      reply({
        id: id(),
        kind: enumeration(AlertKind, { description: 'What readers of the file are warned of.' }),
        placed_at: timestamp(),
        ends_at: timestamp('When it ends by itself.'),
      }),
    ),
    statements: list(
      reply({
        record_kind: enumeration(StatedRecord),
        record_id: id('The event or the account.'),
        account_id: id('The account, or the event’s one.'),
        text: text(TEXTS.statement),
        set_at: timestamp(),
      }),
      { description: 'What you have to say about records.' },
    ),
  }),
);

/** The same as it goes over the wire. */
export type MyFileContent = z.input<typeof myFileContent>;

export const getMyFile = operation({
  id: 'getMyFile',
  method: 'GET',
  path: '/my/file',
  tag: 'Your file',
  rpc: [
    'credit.reporting.v1.ReportingService/GetPersonFile',
    'credit.scoring.v1.ScoringService/GetPersonScore',
    'credit.identity.v1.IdentityService/NameInstitutions',
  ],
  summary: 'Read the own file',
  description:
    'All that the network keeps of whoever calls: who you are to it, the score with its reasons, every ' +
    'account with its newest events, who looked, and what stands on the file by your own word. ' +
    'Institutions have their names. It is no inquiry, it costs no points, and nobody is told. ' +
    '`file` comes in its canonical form (RFC 8785), so that `content_hash` can be checked over the ' +
    'text as it came; it stays the same while the file says the same.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  response: named(
    'MyFile',
    reply({
      content_hash: label('SHA-256 of `file` in its canonical form, in hexadecimal.'),
      generated_at: timestamp('When it was put together; not part of what is hashed.'),
      file: keptAsText([myFileContent]),
    }),
  ),
  errors: ['NOT_FOUND', 'INVALID_STATE_TRANSITION'],
  examples: { response: recorded.getMyFile },
});

export const getMyFileDocument = operation({
  id: 'getMyFileDocument',
  method: 'GET',
  path: '/my/file.pdf',
  tag: 'Your file',
  rpc: [
    'credit.reporting.v1.ReportingService/GetPersonFile',
    'credit.scoring.v1.ScoringService/GetPersonScore',
    'credit.identity.v1.IdentityService/NameInstitutions',
    'credit.scoring.v1.ScoringService/WritePersonFile',
  ],
  summary: 'Read the own file as a document',
  description:
    'The same as `GET /my/file`, to print: everything that stands in `file`, with the `content_hash` ' +
    'of it on the first page and among the document’s properties. While the file says the same, both ' +
    'name the same hash. It is no inquiry. One at a time is written; 500 with `Retry-After` meanwhile.',
  access: person,
  limit_class: 'STANDARD',
  params: {},
  status: 200,
  stream: ['application/pdf'],
  digested: true,
  errors: ['NOT_FOUND'],
  examples: {},
});

export const listMyAccountEvents = operation({
  id: 'listMyAccountEvents',
  method: 'GET',
  path: '/my/accounts/{account_id}/events',
  tag: 'Your file',
  rpc: ['credit.reporting.v1.ReportingService/ListPersonEvents'],
  summary: 'List the events of an account of the own file',
  description:
    'Every event that was ever recorded of one of your accounts, the last recorded first, corrected ' +
    'ones among them: `superseded_by_event_id` names what took its place, and that one says why. ' +
    'Go on from the file with the `next_cursor` of the account.',
  access: person,
  limit_class: 'STANDARD',
  params: { account_id: id('An account of your own file.') },
  query: page,
  status: 200,
  response: list(creditEvent),
  paging: 'PAGE',
  errors: ['NOT_FOUND'],
  examples: {
    params: { account_id: recorded.getAccount.id },
    response: recorded.listMyAccountEvents,
  },
});
