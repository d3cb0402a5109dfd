import {
  ImportFailure,
  ImportFormat,
  ImportKind,
  ImportState,
} from '@credit/proto/reporting/v1/imports';
import { HealthFindingCode, HealthMetricName, Persona } from '@credit/proto/reporting/v1/reporting';
import {
  AccountStatus,
  AccountType,
  AlertKind,
  Bucket,
  CorrectionChange,
  DefaultSeverity,
  EventEffect,
  EventType,
  InquiryRefusal,
  InquiryType,
  InterestType,
  OrganisationKind,
  PaymentFrequency,
  Purpose,
  StatedRecord,
  SubjectType,
} from '@credit/proto/reporting/v1/types';
import { ReportFormat, ReportStatus, ReportType } from '@credit/proto/scoring/v1/scoring';
import { means } from './meaning-registry';

// What is on file, and what is made of it.

means(SubjectType, 'Kind of subject', {
  INDIVIDUAL: 'A person, known by `game_uuid`.',
  ORGANISATION: 'A firm or body, known by its legal name and registration number.',
});

means(OrganisationKind, 'Kind of organisation', {
  COMPANY: 'A company with limited liability or shares.',
  PARTNERSHIP: 'Partners who answer for it together.',
  GOVERNMENT: 'A public body.',
  NON_PROFIT: 'A charity, club or foundation.',
});

means(AccountType, 'Account type', {
  TERM_LOAN: 'A loan of a fixed amount, paid back over an agreed time.',
  MORTGAGE: 'A loan secured by land or a building.',
  AUTO_LOAN: 'A loan for a vehicle, usually secured by it.',
  STUDENT_LOAN: 'A loan for education.',
  TRADE_CREDIT: 'Goods or services delivered now and paid for later.',
  LEASE: 'The use of a thing against regular payments.',
  OTHER: 'An instalment credit of another kind.',
  CREDIT_LINE: 'Revolving: drawn and paid back at will, up to a limit.',
  CREDIT_CARD: 'Revolving: a card with a limit.',
  OVERDRAFT: 'Revolving: a current account that may go below zero.',
});

means(InterestType, 'Interest type', {
  FIXED: 'The rate stays for the whole term.',
  VARIABLE: 'The rate follows another one.',
  NONE: 'No interest is charged.',
});

means(PaymentFrequency, 'Payment frequency', {
  WEEKLY: 'Every week.',
  BIWEEKLY: 'Every two weeks.',
  MONTHLY: 'Every month.',
  QUARTERLY: 'Every three months.',
  ANNUALLY: 'Every year.',
  AT_MATURITY: 'All at once, on the last day.',
  ON_DEMAND: 'Whenever the lender asks for it.',
});

means(AccountStatus, 'Account status', {
  CURRENT: 'Paid as agreed so far.',
  PAID: 'Paid in full and over; the balance is 0.',
  PAST_DUE: 'A payment did not come when it was due: a PAYMENT_LATE was reported.',
  DELINQUENT: 'Seriously late: counts from 30 days past due on.',
  DEFAULTED: 'The lender does not expect the rest to be paid as agreed.',
  RESTRUCTURED: 'New terms, because the old ones could not be met.',
  WRITTEN_OFF: 'The lender has given the rest up in its books (a charge-off).',
  CANCELLED: 'Ended with nothing owed, or taken off the file.',
  DISPUTED: 'Contested at present; the status beneath is kept and goes on moving.',
});

means(EventType, 'Event type', {
  ACCOUNT_OPENED: 'The account began; the network writes it when the account is created.',
  ACCOUNT_UPDATED: 'Something else was agreed; moves neither status nor balance by itself.',
  PAYMENT_DUE: 'A payment falls due; moves nothing.',
  PAYMENT_MADE: 'A payment came, in full. Moves no status: it cures nothing.',
  PARTIAL_PAYMENT: 'A payment came, in part.',
  PAYMENT_LATE: 'A payment did not come in time: CURRENT becomes PAST_DUE.',
  ACCOUNT_CURRENT: 'All arrears are paid: back to CURRENT.',
  DELINQUENCY_STARTED: 'The account is seriously late: DELINQUENT.',
  DELINQUENCY_CURED: 'A delinquency is over: back to CURRENT.',
  DEFAULT_REPORTED: 'The rest is not expected to be paid as agreed: DEFAULTED.',
  DEFAULT_CURED: 'A default is over: back to CURRENT.',
  ACCOUNT_RESTRUCTURED: 'New terms were agreed because the old ones could not be met.',
  ACCOUNT_WRITTEN_OFF: 'The rest was given up in the books: WRITTEN_OFF.',
  ACCOUNT_PAID: 'Paid in full: PAID, and the balance becomes 0.',
  ACCOUNT_CLOSED: 'Ended with a balance of 0: CANCELLED.',
  BALANCE_UPDATED: 'The balance is now `balance_after`.',
  LIMIT_CHANGED: 'The limit of a revolving account is now `amount`.',
  DISPUTE_OPENED: 'A furnisher flags its own account as contested, or the network reviews it.',
  DISPUTE_RESOLVED: 'That flag, or that review, is over.',
  CORRECTION: 'Voids or replaces an earlier event of the account; both stay on record.',
  EVENT_SUPPRESSED:
    'The network leaves a contested event out until it is decided; the account, where it is the opening.',
  EVENT_RESTORED: 'That is over: what was left out counts again, as far as it stands.',
});

means(DefaultSeverity, 'Severity of a default', {
  MINOR: 'The mildest; costs the score least.',
  MODERATE: 'What counts when nothing is said.',
  SEVERE: 'Worse than most.',
  CRITICAL: 'The worst; costs the score most of the four.',
});

means(Bucket, 'Bucket of days past due', {
  CURRENT: '0 days past due.',
  EARLY: '1 to 29 days past due.',
  DPD_30: '30 to 59 days past due.',
  DPD_60: '60 to 89 days past due.',
  DPD_90: '90 to 119 days past due.',
  DPD_120_PLUS: '120 days past due or more.',
});

means(EventEffect, 'Effect of an event', {
  EFFECTIVE: 'It counts.',
  SUPERSEDED: 'A correction has voided or replaced it.',
  IGNORED: 'A correction before it in time made it impossible; it is kept on record.',
  SUPPRESSED:
    'Contested, and left out until that is decided: only its furnisher and the person see it.',
});

means(Purpose, 'Purpose of an inquiry', {
  NEW_CREDIT_APPLICATION: 'Somebody asks you for credit. HARD, SOFT on request.',
  CREDIT_LIMIT_INCREASE: 'More of a credit that you already give. HARD, SOFT on request.',
  REFINANCING: 'A new credit in place of others. HARD, SOFT on request.',
  GUARANTOR_ASSESSMENT: 'Somebody vouches for another. HARD, SOFT on request.',
  PREQUALIFICATION: 'An offer that nobody has accepted yet. SOFT.',
  ACCOUNT_REVIEW: 'Your own accounts, regularly. SOFT; needs an account of yours.',
  COLLECTION: 'Your own accounts, in arrears. SOFT; needs an account of yours.',
  IDENTITY_VERIFICATION: 'Is it who it says it is? SOFT.',
  FRAUD_PREVENTION: 'Signs of fraud. SOFT.',
  COUNTERPARTY_CHECK: 'Dealings without credit. SOFT.',
  SUBJECT_REQUEST:
    'The subject asks for its own file, and has used an access link of yours in the last 30 days. SOFT.',
});

means(InquiryType, 'Type of an inquiry', {
  HARD: 'Counts in the score for 12 months and is shown to others for 24.',
  SOFT: 'Counts nowhere.',
});

means(InquiryRefusal, 'Refusal of an inquiry', {
  FILE_FROZEN: 'The person has frozen the file, nothing opened it to you, and it was new business.',
});

means(CorrectionChange, 'Change by a correction', {
  REPLACED: 'Something else stands in its place.',
  REMOVED: 'Nothing stands in its place.',
  ACCOUNT_REMOVED: 'The account is off the file, with all that was reported of it.',
});

means(AlertKind, 'Kind of alert', {
  FRAUD: 'Somebody may be borrowing in the person’s name: verify the identity before you decide.',
});

means(StatedRecord, 'Record that a statement is about', {
  EVENT: 'A credit event of the file.',
  ACCOUNT: 'An account of the file.',
});

means(HealthMetricName, 'Metric of reporting health', {
  TIMELINESS: 'Events reported within 7 days, of all.',
  FRESHNESS: 'Open accounts with an event in the last 45 days, of all open ones.',
  ACCURACY: 'Corrections against events; those of your own, before a dispute, count half.',
  REJECTION: 'Refused items, of those submitted.',
  DISPUTES: 'Disputes resolved against you, of your accounts.',
  COVERAGE: 'Accounts with maturity, rate and payment frequency, of all.',
});

means(HealthFindingCode, 'Finding of reporting health', {
  DELINQUENT_WITHOUT_BALANCE: 'Delinquent, though nothing is owed.',
  WRITTEN_OFF_WITHOUT_DELINQUENCY: 'Written off, though never reported late before.',
  PAST_DUE_AFTER_PAYMENT: 'Past due, though it was paid over 30 days ago.',
  DISPUTE_FLAG_TOO_OLD: 'Your own dispute flag stands for over 60 days, and suspends no more.',
});

means(ReportType, 'Type of a report', {
  FULL: 'Everything: trade lines, payment grid, events, disputes, inquiries, score history.',
  SUMMARY: 'The profile without those details.',
  COMMERCIAL: 'Everything about an organisation, with its payment index by quarter.',
  NOTICE:
    'What a subject is given who was refused: the score that was seen, its reasons, its rights.',
});

means(ReportFormat, 'Format of a report', {
  JSON: 'For programs; comes with the report up to 4 MiB.',
  CSV: 'For spreadsheets.',
  PDF: 'For people.',
});

means(ReportStatus, 'Status of a report', {
  PENDING: 'Being built.',
  READY: 'Can be fetched.',
  FAILED: 'Could not be built; `failure_code` says why.',
  EXPIRED: '30 days after it was ready: the document is gone, its hash stays.',
});

means(Persona, 'Persona of the sandbox', {
  NO_FILE: 'A person about whom nothing was ever reported.',
  THIN_FILE: 'One card of three months.',
  LONG_CLEAN:
    'Ten years and more of a card, a mortgage and a car that is paid off, without a fault.',
  ALL_CLOSED: 'A paid loan and a closed card, and nothing open.',
  HIGH_USE: 'Two cards and an overdraft near their limits.',
  MANY_INQUIRIES: 'A clean file that eight lenders have looked at within a year.',
  LATE_PAYER: 'A loan that was late three times of late, and current again each time.',
  RECENT_DELINQUENCY:
    'A loan that became delinquent last month; with `days_past_due`, one that is so far behind.',
  CURED_DEFAULT:
    'A default of three years ago that was cured; with `entry_age_days`, one that began so long ago.',
  ACTIVE_DEFAULT: 'A loan in default.',
  DEFAULT_DURING_APPLICATION:
    'A loan whose default is reported while your own application is before you: your webhooks hear of it.',
  RESTRUCTURED: 'A loan that was given new terms last month.',
  WRITE_OFF: 'A loan that was written off four months ago.',
  SETTLED: 'A written-off loan that was then settled for less than was owed.',
  TRANSFERRED: 'A loan that one furnisher closed and another goes on with.',
  SEVERAL_CURRENCIES: 'A card in EUR, a loan in USD and a car loan in DCR.',
  ALL_DISPUTED: 'A card and a delinquent loan that their furnishers say are disputed: no score.',
  DISPUTE_FLAG_ENDS_TOMORROW:
    'A delinquent loan whose dispute flag stops suspending it tomorrow, so that the score falls.',
  ENTRY_EXPIRES_TOMORROW:
    'A write-off seven years after the trouble began: on file today, gone tomorrow.',
  ENTRY_EXPIRED: 'The same a day later: on record, and nowhere in the profile.',
  YOUR_ACCOUNT: 'A delinquent loan that your own institution reports, beside the card of another.',
  ORGANISATION: 'A company with trade credit, a credit line and a lease, all paid on the day.',
});

means(ImportKind, 'Kind of import', {
  ACCOUNTS: 'New accounts, with their subjects where rows describe them.',
  EVENTS: 'Events of your accounts.',
});

means(ImportFormat, 'Format of an import', {
  CSV: 'Columns under a header, in UTF-8.',
  NDJSON: 'A JSON object a line, in UTF-8.',
});

means(ImportState, 'State of an import', {
  UPLOADING: 'The file, or the rest of it, is awaited.',
  CHECKING: 'Its rows are looked at; nothing is written.',
  CHECKED: 'Every row is right. Nothing is written until it is started.',
  APPLYING: 'Its rows are being written.',
  FINISHED: 'Every row was written, was on file already or was refused.',
  FAILED: 'Nothing more is written; `failure` says why.',
  CANCELLED: 'It was given up, by you or after two days without its file. What was written stays.',
});

means(ImportFailure, 'Failure of an import', {
  FAULTS: 'Rows have faults, and nothing was written. Correct them and send the file anew.',
  INTERNAL: 'The network failed at it again and again. Start it, and it goes on where it was.',
});
