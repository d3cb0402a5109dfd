/** How long after its use a refresh token may be repeated: two tabs of one browser. */
export const REFRESH_GRACE_MS = 10_000;

/** A presented refresh token, with times by the database's clock. */
export interface PresentedToken {
  readonly is_expired: boolean;
  readonly is_session_over: boolean;
  /** Undefined when it was not used yet. */
  readonly used_ago_ms: number | undefined;
  /** Undefined unless a repeat of the token before it put another pair in its place. */
  readonly superseded_ago_ms: number | undefined;
  /** Whether a token that was given for it has been used in its turn. */
  readonly is_successor_used: boolean;
}

/** What to do with a presented refresh token. */
export type RefreshDecision =
  /** Give a new pair and mark the token used. */
  | 'rotate'
  /** Give another pair in place of the one before: a repeat of a use a moment ago. */
  | 'repeat'
  /** Used by somebody else before: end the whole family. */
  | 'reuse'
  | 'refuse';

/** Decides about a refresh. Called under the session's lock. */
export function decideRefresh(token: PresentedToken): RefreshDecision {
  if (token.is_session_over || token.is_expired) return 'refuse';
  // The other of two tabs may still be on its way with it; later, two parties hold the family.
  if (token.superseded_ago_ms !== undefined) return withinGrace(token.superseded_ago_ms, 'refuse');
  if (token.used_ago_ms === undefined) return 'rotate';
  return token.is_successor_used ? 'reuse' : withinGrace(token.used_ago_ms, 'repeat');
}

function withinGrace(ago_ms: number, decision: RefreshDecision): RefreshDecision {
  return ago_ms <= REFRESH_GRACE_MS ? decision : 'reuse';
}
