// Borrowers' files of the Lending Club marketplace at the time of their loan, as the model reads
// them. The data has counts and shares but no dates: lateness and inquiries are spread evenly
// over the months they are counted in, and the length of the file stays out of it, the same for
// all. Nor has it payments: every account counts as paid once a month, in which month is unknown.

import {
  type AccountFacts,
  dayOfDate,
  type EpisodeFacts,
  type InquiryFacts,
  type ModelInput,
} from '@credit/scoring/domain/model/index';

export interface Loan {
  readonly input: ModelInput;
  readonly bad: boolean;
}

const AS_OF_DAY = dayOfDate(2026, 1, 1);
const LINE_LIMIT_MINOR = 1_000_000n;
const OLDEST_DAYS = 1_500;

/** Parses the CSV; throws when a column is missing. */
export function readLoans(csv: string): Loan[] {
  const [head = '', ...lines] = csv.split(/\r?\n/).filter((line) => line !== '');
  const columns = head.split(',');
  return lines.map((line, index) => {
    const cells = line.split(',');
    const cell = (name: string): string => {
      const text = cells[columns.indexOf(name)];
      if (text === undefined) throw new Error(`row ${index + 1} has no ${name}`);
      return text;
    };
    const count = (name: string): number => Math.max(0, Math.floor(Number(cell(name)) || 0));
    return { input: borrower(String(index), count), bad: cell('Class') === 'bad' };
  });
}

function borrower(id: string, count: (name: string) => number): ModelInput {
  const accounts = [revolvingLine(id, count)];
  if (count('num_il_tl') > 0) {
    accounts.push(instalmentLoan(id, count));
    for (let opened = 0; opened < count('open_il_6m') && opened < 5; opened += 1) {
      // The column counts instalment accounts that are open now; those of a year are told apart.
      if (opened >= count('open_il_12m')) break;
      accounts.push({
        ...instalmentLoan(`${id}-new-${opened}`, count),
        original_principal_minor: 0n,
        balance_minor: 0n,
        ...openedFor(30 + 60 * opened),
      });
    }
  }
  return {
    subject_type: 'INDIVIDUAL',
    as_of_day: AS_OF_DAY,
    accounts,
    inquiries: inquiriesOf(id, count),
  };
}

function revolvingLine(id: string, count: (name: string) => number): AccountFacts {
  const delinquencies = Math.min(count('delinq_2yrs'), 8);
  return {
    ...blank(`${id}-line`),
    account_type: 'CREDIT_LINE',
    original_principal_minor: LINE_LIMIT_MINOR,
    balance_minor: (LINE_LIMIT_MINOR * BigInt(count('revol_util'))) / 100n,
    status: count('acc_now_delinq') > 0 ? 'DELINQUENT' : 'CURRENT',
    episodes: Array.from({ length: delinquencies }, (_, index) =>
      delinquency(AS_OF_DAY - 60 - Math.floor((670 * index) / delinquencies), {
        open: index === 0 && count('acc_now_delinq') > 0,
      }),
    ),
  };
}

function instalmentLoan(id: string, count: (name: string) => number): AccountFacts {
  return {
    ...blank(`${id}-loan`),
    account_type: 'TERM_LOAN',
    original_principal_minor: BigInt(count('total_il_high_credit_limit')) * 100n,
    balance_minor: BigInt(count('total_bal_il')) * 100n,
  };
}

function blank(account_id: string): AccountFacts {
  return {
    account_id,
    institution_id: 'marketplace',
    account_type: 'OTHER',
    currency: 'USD',
    original_principal_minor: 0n,
    credit_limit_minor: undefined,
    balance_minor: 0n,
    status: 'CURRENT',
    disputed: false,
    furnisher_disputed_since_day: undefined,
    network_review: false,
    ...openedFor(OLDEST_DAYS),
    closed_day: undefined,
    settled_day: undefined,
    episodes: [],
    payment_months: [],
    late_months: [],
    payment_days: [],
    voided: false,
  };
}

function openedFor(age_days: number): Pick<AccountFacts, 'opened_day' | 'payment_count'> {
  return { opened_day: AS_OF_DAY - age_days, payment_count: Math.floor(age_days / 30) };
}

function delinquency(started_day: number, { open }: { open: boolean }): EpisodeFacts {
  return {
    started_day,
    ended_day: open ? undefined : started_day + 35,
    past_due_since_day: started_day,
    delinquency_started_day: started_day + 30,
    restructured_day: undefined,
    defaulted_day: undefined,
    default_severity: undefined,
    default_cured_day: undefined,
    written_off_day: undefined,
  };
}

function inquiriesOf(id: string, count: (name: string) => number): InquiryFacts[] {
  const recent = Math.min(count('inq_last_6mths'), 12);
  const older = Math.min(Math.max(0, count('inq_last_12m') - recent), 12);
  const spread = (number: number, from_day: number): InquiryFacts[] =>
    Array.from({ length: number }, (_, index) => ({
      inquiry_id: `${id}-${from_day}-${index}`,
      purpose: 'NEW_CREDIT_APPLICATION',
      inquiry_type: 'HARD',
      duplicate: false,
      voided: false,
      day: from_day - Math.floor((175 * index) / number),
    }));
  return [...spread(recent, AS_OF_DAY - 1), ...spread(older, AS_OF_DAY - 185)];
}
