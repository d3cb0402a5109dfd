// Scores of the past are as much a look at somebody as a profile is.

import type { CallContext } from '@credit/platform/context';
import type { ReportingClient } from '../reporting-client';
import type { StoredSnapshot } from '../store/snapshots';

type Inquiry = Parameters<ReportingClient['recordInquiry']>[1];

export interface ScoreLook {
  /** Undefined of who has a stake in the subject already. */
  readonly purpose: Inquiry['purpose'] | undefined;
  readonly inquiry_type: Inquiry['inquiry_type'];
  readonly consent_reference: Inquiry['consent_reference'];
  /** Of the inquiry that is recorded with a purpose. */
  readonly inquiry_id: string;
}

/** Records the inquiry, or has reporting say that the caller needs none; refuses otherwise. */
export async function lookAtScores(
  reporting: Pick<ReportingClient, 'followSubject' | 'recordInquiry'>,
  ctx: CallContext,
  subject_id: string,
  { purpose, ...look }: ScoreLook,
): Promise<void> {
  if (purpose === undefined) await reporting.followSubject(ctx, subject_id);
  else await reporting.recordInquiry(ctx, { ...look, subject_id, purpose });
}

/** The snapshots as the caller may see them: without the ids of other institutions' records. */
export async function withOwnTriggers(
  reporting: Pick<ReportingClient, 'ownRecords'>,
  ctx: CallContext,
  subject_id: string,
  snapshots: readonly StoredSnapshot[],
): Promise<StoredSnapshot[]> {
  const ids = snapshots.flatMap(({ trigger_id }) => (trigger_id === undefined ? [] : [trigger_id]));
  const own =
    ids.length === 0 ? new Set<string>() : await reporting.ownRecords(ctx, subject_id, ids);
  return snapshots.map((snapshot) => {
    const { trigger_id } = snapshot;
    return trigger_id === undefined || own.has(trigger_id)
      ? snapshot
      : { ...snapshot, trigger_id: undefined };
  });
}
