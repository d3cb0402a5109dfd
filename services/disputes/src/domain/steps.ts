import type { DisputeVerdict, KeptAnswer } from './answer';
import { type Dispute, type DisputeStatus, isResolved } from './dispute';

/** Something that has happened to a dispute. */
export type DisputeStep =
  | { readonly kind: 'OPENED' | 'REVIEW_BEGUN'; readonly at: string }
  | {
      readonly kind: 'ANSWERED';
      readonly at: string;
      readonly institution_id: string;
      readonly verdict: DisputeVerdict;
    }
  | { readonly kind: 'RESOLVED'; readonly at: string; readonly status: DisputeStatus };

/** What has happened to a dispute, in that order. */
export function stepsOf(
  dispute: Pick<Dispute, 'opened_at' | 'resolved_at' | 'status'>,
  answers: readonly Pick<KeptAnswer, 'answered_at' | 'institution_id' | 'verdict'>[],
  reviews_begun_at: readonly string[],
): DisputeStep[] {
  const { opened_at, resolved_at, status } = dispute;
  const between: DisputeStep[] = [
    ...reviews_begun_at.map((at) => ({ kind: 'REVIEW_BEGUN' as const, at })),
    ...answers.map(({ answered_at, institution_id, verdict }) => ({
      kind: 'ANSWERED' as const,
      at: answered_at,
      institution_id,
      verdict,
    })),
  ];
  // Clocks of processes differ a little: whatever they say, the first and the last are known.
  return [
    { kind: 'OPENED', at: opened_at },
    ...between.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
    ...(resolved_at !== undefined && isResolved(status)
      ? [{ kind: 'RESOLVED' as const, at: resolved_at, status }]
      : []),
  ];
}
