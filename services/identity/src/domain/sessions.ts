/** How long after its use a refresh token may be repeated: two tabs of one browser. */
export const REFRESH_GRACE_MS = 10_000;

/** A presented refresh token, with times by the database's clock. */
export interface PresentedToken {
  readonly is_expired: boolean;
  readonly is_session_revoked: boolean;
  /** Null when it was not used yet. */
  readonly used_ago_ms: number | null;
  /** Whether a token that was given for it has been used in its turn. */
  readonly is_successor_used: boolean;
}

/** What to do with a presented refresh token. */
export type RefreshDecision =
  /** Give a new pair and mark the token used. */
  | 'rotate'
  /** Give another pair: a repeat of a use a moment ago. */
  | 'repeat'
  /** Used by somebody else before: end the whole family. */
  | 'reuse'
  | 'refuse';

/** Decides about a refresh. Called under the session's lock. */
export function decideRefresh(token: PresentedToken): RefreshDecision {
  if (token.is_session_revoked || token.is_expired) return 'refuse';
  if (token.used_ago_ms === null) return 'rotate';
  if (token.used_ago_ms <= REFRESH_GRACE_MS && !token.is_successor_used) return 'repeat';
  return 'reuse';
}
