import type { Answer } from './answer';
import { MAX_ATTEMPTS, type RetrySettings, retryAfterMs, waitAfter } from './retry-schedule';

/** Why no complete answer came. */
export type TransportError =
  | 'TIMEOUT'
  | 'NAME_NOT_RESOLVED'
  | 'ADDRESS_REFUSED'
  | 'CONNECTION_FAILED'
  | 'CONNECTION_LOST'
  | 'TLS_FAILED'
  | 'INVALID_ANSWER';

/** What one attempt came to. */
export type AttemptResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retry_after?: string | undefined;
      /** What is kept of it; nothing is decided by it. */
      readonly answer?: Answer;
    }
  | { readonly kind: 'unanswered'; readonly error: TransportError };

/** What follows for the delivery. */
export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delay_ms: number }
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'gone' };

const GONE = 410;

/** Whether the receiver has taken it. */
export function hasArrived(result: AttemptResult): boolean {
  return result.kind === 'answered' && result.status >= 200 && result.status <= 299;
}

/** Decides what follows from attempt number `attempt` (from 1). */
export function judgeAttempt(
  attempt: number,
  result: AttemptResult,
  settings: RetrySettings,
): Verdict {
  if (hasArrived(result)) return { kind: 'delivered' };
  if (result.kind === 'answered' && result.status === GONE) return { kind: 'gone' };
  if (attempt >= MAX_ATTEMPTS) return { kind: 'exhausted' };
  const asked_ms =
    result.kind === 'answered' ? retryAfterMs(result.retry_after, settings.now_ms) : 0;
  return { kind: 'retry', delay_ms: Math.max(waitAfter(attempt, settings), asked_ms) };
}

/** How a failed attempt is filed: the transport's error, or that the answer was not a 2xx. */
export function errorClass(result: AttemptResult): TransportError | 'HTTP_STATUS' {
  return result.kind === 'answered' ? 'HTTP_STATUS' : result.error;
}

const EXPLANATIONS: Readonly<Record<TransportError, string>> = {
  TIMEOUT: 'The receiver did not answer completely in time.',
  NAME_NOT_RESOLVED: 'The host name did not resolve.',
  ADDRESS_REFUSED: 'The host name resolves to an address that is not public.',
  CONNECTION_FAILED: 'The receiver accepted no connection.',
  CONNECTION_LOST: 'The receiver closed the connection without a complete answer.',
  TLS_FAILED: 'No trusted TLS connection could be made.',
  INVALID_ANSWER: 'The answer was not HTTP.',
};

/** The sentence that an institution reads; holds nothing that the receiver wrote. */
export function explainFailure(result: AttemptResult): string {
  if (result.kind === 'unanswered') return EXPLANATIONS[result.error];
  if (result.status >= 300 && result.status <= 399) {
    return `The receiver answered ${result.status}; redirects are not followed.`;
  }
  return `The receiver answered ${result.status}.`;
}
