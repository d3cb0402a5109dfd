import type { Operations, WireOf } from '@credit/contract';

/** Why an entry is contested, as the one who contests it says it. */
export const REASONS: Readonly<Record<WireOf<Operations['openDispute']>['reason'], string>> = {
  PAYMENT_REPORTED_LATE: 'I paid in time, and it says late',
  NOT_MY_ACCOUNT: 'This account is not mine',
  IDENTITY_MISMATCH: 'I was taken for somebody else',
  INCORRECT_BALANCE: 'An amount is wrong',
  INCORRECT_STATUS: 'The standing of the account is wrong',
  INCORRECT_DATES: 'A date is wrong',
  ALREADY_PAID: 'I have paid this already',
  DUPLICATE_ACCOUNT: 'The same loan is there twice',
  OBSOLETE_INFORMATION: 'It is too old to be told',
  UNAUTHORISED_INQUIRY: 'Somebody looked who had no right to',
  FRAUD: 'Somebody else borrowed in my name',
  OTHER: 'Something else',
  IDENTITY_THEFT: 'My identity was stolen',
};

/** What anybody may give: at their own file only do people block what was done in their name. */
export const PUBLIC_REASONS = Object.entries(REASONS)
  .filter(([value]) => value !== 'IDENTITY_THEFT')
  .map(([value, label]) => ({ value, label }));
