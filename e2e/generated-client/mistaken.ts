// Each of these lines is a mistake that the generated types must not let through: one error a line.
import type { components } from './api';
import { create, type summary } from './lender';

export const mistakes = [
  create('/inquiries', { subject_id: 'x', purpose: 'CURIOSITY' }, {}),
  create('/inquiries', { subject_id: 'x', purpose: 'ACCOUNT_REVIEW', inquiry_typ: 'SOFT' }, {}),
  create('/accounts', { subject_id: 'x' }, {}),
  create('/credits', {}, {}),
  (account: components['schemas']['Account']) => account.balance,
  (profile: Parameters<typeof summary>[0]) => profile.credit.score.toFixed(),
];
