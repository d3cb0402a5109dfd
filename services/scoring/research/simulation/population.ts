// A population of borrowers to try the score on. Each has a hidden soundness that moves how
// often payments are missed, how missed ones end, how much of the credit is used and how often
// more is sought. They live month by month; the score sees the life up to the as-of day, and the
// same life going on for twelve more months decides who turns bad. What the score can find is
// what the past tells of the hidden soundness, no more.

import { firstDayOfMonth, monthOfDay } from '@credit/scoring/domain/model/calendar';
import {
  type AccountFacts,
  type AccountType,
  type InquiryFacts,
  isRevolving,
  type ModelInput,
} from '@credit/scoring/domain/model/facts';
import { type Random, randomFrom } from './random';
import { type LifeEvent, type LifeEventType, live } from './timeline';

const { floor, exp, min, max } = Math;

export interface SimulatedSubject {
  readonly input: ModelInput;
  /** In default, written off or 90 days past due at the as-of day: bad already, nothing to foretell. */
  readonly bad_before: boolean;
  /** Came to default, write-off or 90 days past due within twelve months after it. */
  readonly bad_after: boolean;
}

const OUTCOME_MONTHS = 12;
const MONTHS_BEHIND_WHEN_BAD = 3;
const TYPES: readonly [AccountType, ...AccountType[]] = [
  'TERM_LOAN',
  'TERM_LOAN',
  'AUTO_LOAN',
  'MORTGAGE',
  'STUDENT_LOAN',
  'TRADE_CREDIT',
  'CREDIT_CARD',
  'CREDIT_CARD',
  'CREDIT_LINE',
  'OVERDRAFT',
];

export function simulatePopulation(
  count: number,
  seed: number,
  as_of_day: number,
): SimulatedSubject[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => simulateSubject(index, random, as_of_day));
}

function simulateSubject(index: number, random: Random, as_of_day: number): SimulatedSubject {
  const soundness = random.normal();
  const organisation = random.chance(0.15);
  const accounts: SimulatedAccount[] = [];
  const count = random.integer(1, 6);
  // What befalls the borrower hits all accounts at once: a lost job, a lost contract.
  const strains = monthsOfStrain(random, soundness);
  for (let number = 0; number < count; number += 1) {
    accounts.push(
      simulateAccount(`${index}-${number}`, random, {
        soundness,
        organisation,
        strains,
        as_of_day,
      }),
    );
  }
  return {
    input: {
      subject_type: organisation ? 'ORGANISATION' : 'INDIVIDUAL',
      as_of_day,
      accounts: accounts.map(({ facts }) => facts),
      inquiries: simulateInquiries(index, random, soundness, as_of_day),
    },
    bad_before: accounts.some(({ bad_before }) => bad_before),
    bad_after: accounts.some(({ bad_after }) => bad_after),
  };
}

/** Months from the as-of month, negative before it, in which money is short. */
function monthsOfStrain(random: Random, soundness: number): ReadonlySet<number> {
  const strains = new Set<number>();
  const strikes = odds(-4.4 - 0.5 * soundness);
  for (let month = -120; month <= OUTCOME_MONTHS; month += 1) {
    if (!random.chance(strikes)) continue;
    const months = random.integer(2, 6);
    for (let later = 0; later < months; later += 1) strains.add(month + later);
  }
  return strains;
}

interface SimulatedAccount {
  readonly facts: AccountFacts;
  readonly bad_before: boolean;
  readonly bad_after: boolean;
}

interface Circumstances {
  readonly soundness: number;
  readonly organisation: boolean;
  readonly strains: ReadonlySet<number>;
  readonly as_of_day: number;
}

function simulateAccount(
  account_id: string,
  random: Random,
  { soundness, organisation, strains, as_of_day }: Circumstances,
): SimulatedAccount {
  const account_type = random.pick(TYPES);
  const as_of_month = monthOfDay(as_of_day);
  const age_months = random.integer(2, random.chance(0.3) ? 24 : 110);
  const original_principal_minor = BigInt(random.integer(50_000, 3_000_000));
  const opened_day = firstDayOfMonth(as_of_month - age_months) + random.integer(0, 27);
  const term_months = random.pick([12, 24, 36, 48, 60, 120]);
  const events: LifeEvent[] = [];
  // In strained months misses are far likelier, and who is behind already misses again more easily.
  const chances_of_missing = [0, 2.6].map((strain) =>
    [0, 1.7].map((behind) => odds(-4.9 - 1.6 * soundness + strain + behind)),
  );
  let months_behind = 0;
  let over: 'PAID' | 'WRITTEN_OFF' | undefined;
  let in_default = false;
  let bad_before = false;
  let bad_after = false;

  for (let month = 1 - age_months; month <= OUTCOME_MONTHS && over === undefined; month += 1) {
    const day = firstDayOfMonth(as_of_month + month) + random.integer(0, 13);
    const happens = (type: LifeEventType, fields: Partial<LifeEvent> = {}): void => {
      if (day <= as_of_day) events.push({ type, day, ...fields });
    };
    const likely = chances_of_missing[+strains.has(month)]?.[+(months_behind > 0)] ?? 0;
    const misses = random.chance(likely);
    if (misses) {
      months_behind += 1;
      if (months_behind === 1 || random.chance(0.5)) happens('PAYMENT_LATE');
      if (months_behind === 2) happens('DELINQUENCY_STARTED');
      if (months_behind >= 4 && !in_default && random.chance(0.6)) {
        in_default = true;
        happens('DEFAULT_REPORTED', {
          severity: random.pick(['MINOR', 'MODERATE', 'MODERATE', 'SEVERE', 'CRITICAL']),
        });
      }
      if (months_behind >= 8) {
        over = 'WRITTEN_OFF';
        happens('ACCOUNT_WRITTEN_OFF');
      }
    } else {
      happens('PAYMENT_MADE', {
        amount_minor: original_principal_minor / BigInt(term_months) + 1n,
      });
      if (months_behind > 0 && random.chance(0.6)) {
        if (in_default) happens('DEFAULT_CURED');
        else happens('ACCOUNT_CURRENT');
        months_behind = 0;
        in_default = false;
      }
    }
    if (over === undefined && !isRevolving(account_type) && age_months + month >= term_months) {
      if (months_behind === 0) {
        over = 'PAID';
        happens('ACCOUNT_PAID');
      }
    }
    const bad = in_default || over === 'WRITTEN_OFF' || months_behind >= MONTHS_BEHIND_WHEN_BAD;
    if (bad && day <= as_of_day && month === 0) bad_before = true;
    if (bad && month > 0) bad_after = true;
  }
  // A write-off ends the months above, and stays bad.
  const written_off = events.some(({ type }) => type === 'ACCOUNT_WRITTEN_OFF');
  if (!events.some(({ type }) => type === 'ACCOUNT_PAID') && !written_off) {
    events.push({
      type: 'BALANCE_UPDATED',
      day: as_of_day,
      amount_minor: balanceAt(random, soundness, {
        account_type,
        original_principal_minor,
        age_months,
        term_months,
      }),
    });
  }
  const facts = live({
    account_id,
    institution_id: `lender-${random.integer(1, 5)}`,
    account_type,
    currency: 'DCR',
    original_principal_minor,
    opened_day,
    organisation,
    events,
  });
  if (facts === undefined) throw new Error(`account ${account_id} lived an impossible life`);
  return { facts, bad_before: bad_before || written_off, bad_after };
}

function balanceAt(
  random: Random,
  soundness: number,
  account: {
    account_type: AccountType;
    original_principal_minor: bigint;
    age_months: number;
    term_months: number;
  },
): bigint {
  const principal = Number(account.original_principal_minor);
  if (isRevolving(account.account_type)) {
    const use = clamp(0.42 - 0.16 * soundness + 0.22 * random.normal(), 0, 1.1);
    return BigInt(floor(principal * use));
  }
  const left = clamp(1 - account.age_months / account.term_months + 0.05 * random.normal(), 0, 1);
  return BigInt(floor(principal * left));
}

function simulateInquiries(
  index: number,
  random: Random,
  soundness: number,
  as_of_day: number,
): InquiryFacts[] {
  const inquiries: InquiryFacts[] = [];
  const seeks = odds(-2.5 - 0.45 * soundness);
  for (let month = 0; month < 24; month += 1) {
    if (!random.chance(seeks)) continue;
    const looks = random.integer(1, 3);
    for (let look = 0; look < looks; look += 1) {
      inquiries.push({
        inquiry_id: `${index}-${month}-${look}`,
        purpose: random.pick(['NEW_CREDIT_APPLICATION', 'NEW_CREDIT_APPLICATION', 'REFINANCING']),
        inquiry_type: random.chance(0.75) ? 'HARD' : 'SOFT',
        duplicate: random.chance(0.1),
        voided: false,
        day: as_of_day - month * 30 - random.integer(0, 29),
      });
    }
  }
  return inquiries;
}

function odds(log_odds: number): number {
  return 1 / (1 + exp(-log_odds));
}

function clamp(value: number, least: number, most: number): number {
  return min(most, max(least, value));
}
