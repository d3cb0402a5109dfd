import type { UserStatus } from './users';

/** Why a sign-in with a known e-mail failed; the answer does not tell. */
export type SignInFault =
  | 'WRONG_PASSWORD'
  | 'WRONG_SECOND_FACTOR'
  | 'PASSWORD_EXPIRED'
  | 'USER_DISABLED'
  | 'INSTITUTION_STATUS';

/** Why the user may not sign in, whose password matched or did not. */
export function signInFault(
  user: { readonly status: UserStatus; readonly is_password_expired: boolean },
  matches: boolean,
): SignInFault | undefined {
  if (!matches) return 'WRONG_PASSWORD';
  if (user.status !== 'ACTIVE') return 'USER_DISABLED';
  return user.is_password_expired ? 'PASSWORD_EXPIRED' : undefined;
}

/**
 * Whether the n-th of a kind in a window gets a line of the log. The first ones each do, then
 * each that doubles their number: strangers can make as many as they like, and the line says how
 * many there were.
 */
export function isTold(n: number, in_full: number): boolean {
  return n <= in_full || Number.isInteger(Math.log2(n));
}
