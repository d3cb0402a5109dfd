// The terms that an account's opening says, and what becomes of an account.

import { AccountType, InterestType, PaymentFrequency } from '@credit/proto/reporting/v1/types';
import type { FC } from 'hono/jsx';
import type { Faults } from './attempt';
import { Field, money, Select } from './components';
import type { Content, Form, Page } from './page';
import {
  type Account,
  amountTyped,
  choicesOf,
  daysPastDue,
  type Event,
  momentTyped,
  numberTyped,
  rate,
  Standing,
} from './record';
import { words } from './words';

const NONE = { value: '', label: 'As it is' };

const TERMS = {
  account_type: 'Kind',
  currency: 'Currency',
  original_principal: 'Lent at first',
  interest_rate_bps: 'Interest in basis points',
  interest_type: 'Kind of interest',
  opened_at: 'Opened',
  maturity_at: 'Matures',
  payment_frequency: 'Payments',
};

/** The fields of {@link TermFields} that are of the terms alone. */
export const TERM_NAMES = Object.keys(TERMS) as (keyof typeof TERMS)[];

/** What a form calls terms, by where they stand in the operation's body. */
export function termLabels(path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(TERMS).map(([name, label]) => [`${path}corrected_account.${name}`, label]),
  );
}

/** Whether the terms of the account are what the event says. */
export function isOfOpening({ event_type, corrected_account }: Event): boolean {
  return event_type === 'ACCOUNT_OPENED' || corrected_account !== null;
}

/** The terms as an operation takes them; what was not filled in is left out. */
export function termsOf(form: Form) {
  return {
    account_type: form.given('account_type'),
    currency: form.given('currency'),
    original_principal: amountTyped(form.given('original_principal')),
    interest_rate_bps: numberTyped(form.given('interest_rate_bps')),
    interest_type: form.given('interest_type'),
    opened_at: momentTyped(form.given('opened_at')),
    maturity_at: momentTyped(form.given('maturity_at')),
    payment_frequency: form.given('payment_frequency'),
  };
}

/** Terms of an account to put right; `path` is where they stand in the operation's body. */
export const TermFields: FC<{
  page: Page;
  account: Pick<Account, 'currency' | 'interest_rate_bps' | 'original_principal'>;
  faults: Faults | undefined;
  path: string;
}> = ({ page, account, faults, path }) => {
  const { form } = page;
  const field = (name: keyof typeof TERMS) => ({
    name,
    path: `${path}corrected_account.${name}`,
    value: form.text(name),
    faults,
  });
  return (
    <fieldset class="field group">
      <legend>Terms that were others</legend>
      <p class="hint">What is left empty stays as it is.</p>
      <Select
        {...field('account_type')}
        label={TERMS.account_type}
        choices={[NONE, ...choicesOf(AccountType)]}
      />
      <Field
        {...field('original_principal')}
        label={`${TERMS.original_principal}, now ${money(account.original_principal, account.currency)}`}
        inputmode="decimal"
      />
      <Field
        {...field('currency')}
        label={`${TERMS.currency}, now ${account.currency}`}
        maxlength={3}
      />
      <Field
        {...field('interest_rate_bps')}
        label={`${TERMS.interest_rate_bps}, now ${account.interest_rate_bps ?? 'not reported'}`}
        hint="100 are one per cent."
        inputmode="numeric"
      />
      <Select
        {...field('interest_type')}
        label={TERMS.interest_type}
        choices={[NONE, ...choicesOf(InterestType)]}
      />
      <Select
        {...field('payment_frequency')}
        label={TERMS.payment_frequency}
        choices={[NONE, ...choicesOf(PaymentFrequency)]}
      />
      <Field {...field('opened_at')} label={`${TERMS.opened_at}, in UTC`} type="datetime-local" />
      <Field
        {...field('maturity_at')}
        label={`${TERMS.maturity_at}, in UTC`}
        type="datetime-local"
      />
      <Field
        name="balance_after"
        path={`${path}balance_after`}
        label={`Balance at the opening in ${account.currency}`}
        inputmode="decimal"
        value={form.text('balance_after')}
        faults={faults}
      />
    </fieldset>
  );
};

/** A fact of an account, before and after. */
interface Compared {
  readonly name: string;
  readonly before: Content | string;
  readonly after: Content | string;
  readonly changes: boolean;
}

/** What is compared of an account, as text to tell whether it changes, and as it is shown. */
const COMPARED: readonly (readonly [
  string,
  (account: Account) => string,
  ((account: Account) => Content)?,
])[] = [
  ['Balance', ({ current_balance, currency }) => money(current_balance, currency)],
  ['Standing', ({ status }) => words(status), ({ status }) => <Standing of={status} />],
  ['Days past due', (account) => daysPastDue(account)],
  ['Latest trouble began', ({ first_delinquency_at }) => dayOf(first_delinquency_at)],
  ['Closed', ({ closed_at }) => dayOf(closed_at)],
  ['On file', ({ voided }) => (voided ? 'Taken off' : 'Yes')],
  [TERMS.account_type, ({ account_type }) => words(account_type)],
  [
    TERMS.original_principal,
    ({ original_principal, currency }) => money(original_principal, currency),
  ],
  ['Interest', ({ interest_rate_bps }) => rate(interest_rate_bps) ?? 'Not reported'],
  [TERMS.interest_type, ({ interest_type }) => words(interest_type ?? 'not reported')],
  [TERMS.payment_frequency, ({ payment_frequency }) => words(payment_frequency ?? 'not reported')],
  [TERMS.opened_at, ({ opened_at }) => dayOf(opened_at)],
  [TERMS.maturity_at, ({ maturity_at }) => dayOf(maturity_at)],
];
function dayOf(at: string | null): string {
  return at === null ? 'Never' : at.slice(0, 10);
}

/** What can change of an account, the first three what is looked at first. */
export function comparedFacts(before: Account, after: Account): Compared[] {
  return COMPARED.map(([name, text, shown = text]) => ({
    name,
    before: shown(before),
    after: shown(after),
    changes: text(before) !== text(after),
  }));
}
