// Reporting as disputes' own functions: its messages become the domain's values here.

import type { CallContext } from '@credit/platform/context';
import { type RpcChannel, withRetry } from '@credit/platform/rpc';
import { Replacement, ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import type { Place, referenceOf } from './domain/place';

type Reference = NonNullable<ReturnType<typeof referenceOf>>;

/** Which event to mend, and for whom. */
export interface Mending {
  readonly dispute_id: string;
  readonly credit_event_id: string;
  readonly filed_since: string;
  readonly replacement: Uint8Array | null;
  readonly correction_reason: string;
}

/** What disputes ask of reporting. Each may be asked again: the context's key makes it one. */
export interface ReportingClient {
  /** Where records are, in the order they are named. */
  locate(ctx: CallContext, references: readonly Reference[]): Promise<Place[]>;
  /** Mends a contested event; null when its type allows no correction. */
  correct(ctx: CallContext, mending: Mending): Promise<string | null>;
  setReview(
    ctx: CallContext,
    review: { account_id: string; under_review: boolean; change_id: string },
  ): Promise<void>;
}

/** Opens the client on a channel to reporting. */
export function reportingClient(channel: RpcChannel): ReportingClient {
  const reporting = channel.stub(ReportingServiceDefinition);
  return {
    async locate(ctx, references) {
      const request = {
        references: references.map(({ kind, id }) => ({
          reference:
            kind === 'event'
              ? { $case: 'credit_event_id' as const, value: id }
              : { $case: 'subject_id' as const, value: id },
        })),
      };
      const { records } = await withRetry(ctx, () => reporting.locateRecords(ctx, request));
      return records.map(({ subject_id, account_id, institution_ids }) => ({
        subject_id: subject_id ?? null,
        account_id: account_id ?? null,
        institution_ids,
      }));
    },
    async correct(ctx, { replacement, ...mending }) {
      const request = {
        ...mending,
        replacement: replacement === null ? undefined : Replacement.decode(replacement),
      };
      const answer = await withRetry(ctx, () => reporting.correctForDispute(ctx, request));
      return answer.correction_event_id ?? null;
    },
    async setReview(ctx, review) {
      await withRetry(ctx, () => reporting.setNetworkReview(ctx, review));
    },
  };
}
