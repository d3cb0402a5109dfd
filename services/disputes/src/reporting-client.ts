// Reporting as disputes' own functions: its messages become the domain's values here.

import type { CallContext } from '@credit/platform/context';
import { type RpcChannel, withRetry } from '@credit/platform/rpc';
import type * as wire from '@credit/proto/reporting/v1/reporting';
import { Replacement, ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import type { Account } from '@credit/proto/reporting/v1/types';
import type { DisputeReason } from './domain/dispute';
import type { Place, referenceOf } from './domain/place';

type Reference = NonNullable<ReturnType<typeof referenceOf>>;

/** Which event to mend, and for whom. */
export interface EventMending {
  readonly dispute_id: string;
  readonly credit_event_id: string;
  readonly filed_since: string;
  readonly reason: DisputeReason;
  readonly replacement: Uint8Array | undefined;
  readonly correction_reason: string;
}

/** What came of it. */
export interface Mended {
  /** Undefined when the event is of a type that allows no correction. */
  readonly correction_event_id?: string | undefined;
}

/** An account that a dispute covers. */
export interface CoveredAccount {
  readonly account_id: string;
  /** Its ACCOUNT_OPENED. */
  readonly opening_event_id: string;
}

/** What is contested, as reporting says it: disputes only hands it on. */
export type ContestedRecord = wire.ContestedRecord;

/** An account, and how it would stand. */
export interface RehearsedAccount extends AccountPreview {
  readonly linked_event_id?: string | undefined;
  readonly cannot_be_corrected: boolean;
}

/** An account as reporting says it: disputes only hands it on. */
export interface AccountPreview {
  readonly before: Account;
  readonly after: Account;
}

/** Reporting health and what it would be, as reporting says it. */
export type HealthForecast = wire.ForecastReportingHealthResponse;

/** What disputes ask of reporting. Each may be asked again: the context's key makes it one. */
export interface ReportingClient {
  /** Where records are, in the order they are named. */
  locate(
    ctx: CallContext,
    references: readonly Reference[],
  ): Promise<(Place & Pick<wire.LocatedRecord, 'event_type'>)[]>;
  /** Where an event is that the calling institution may contest in test; NOT_FOUND for any other. */
  locateSandboxEvent(
    ctx: CallContext,
    credit_event_id: string,
  ): Promise<{ readonly subject_id: string; readonly account_id: string }>;
  /** A subject's accounts at the named institutions; at all, when none is named. */
  coveredAccounts(
    ctx: CallContext,
    of: { readonly subject_id: string; readonly institution_ids: readonly string[] },
  ): Promise<CoveredAccount[]>;
  /** What is contested, as it stands; nothing in it when it is not on record. */
  contestedRecord(
    ctx: CallContext,
    wanted: wire.GetContestedRecordRequest,
  ): Promise<ContestedRecord>;
  /** Mends a contested event. */
  correct(ctx: CallContext, mending: EventMending): Promise<Mended>;
  /** What an outcome would do to an account. */
  rehearse(
    ctx: CallContext,
    outcome: {
      readonly account_id: string;
      readonly mending: EventMending | undefined;
      readonly under_review: boolean | undefined;
    },
  ): Promise<RehearsedAccount>;
  /** How an institution's reporting health would change by one more dispute that it lost. */
  forecastHealth(
    ctx: CallContext,
    wanted: { readonly institution_id: string; readonly group_id: string },
  ): Promise<HealthForecast>;
  /** The latest inquiries about a subject; everybody's when no institution is named. */
  contestedInquiries(ctx: CallContext, of: InquiriesOf): Promise<ContestedInquiries>;
  /** Takes the effect of inquiries away; returns which. */
  voidInquiries(
    ctx: CallContext,
    voiding: {
      readonly dispute_id: string;
      readonly subject_id: string;
      readonly institution_ids: readonly string[];
      readonly inquiry_ids: readonly string[];
      /** Takes none away. */
      readonly dry_run?: boolean | undefined;
    },
  ): Promise<readonly string[]>;
  /** Leaves a contested fact out of the file, or brings it back for good; false when it cannot be. */
  setSuppression(ctx: CallContext, wanted: wire.SetSuppressionRequest): Promise<boolean>;
  /** What a correction has changed, field by field. */
  explain(ctx: CallContext, wanted: wire.ExplainCorrectionRequest): Promise<wire.FieldChange[]>;
  /** Where what the calling person contests is on its own file; NOT_FOUND for anything else. */
  locateOnFile(
    ctx: CallContext,
    record: NonNullable<wire.LocatePersonRecordRequest['record']>,
  ): Promise<wire.LocatePersonRecordResponse>;
  setReview(
    ctx: CallContext,
    review: { account_id: string; under_review: boolean; change_id: string },
  ): Promise<void>;
}

/** Whose inquiries about whom. */
export interface InquiriesOf {
  readonly subject_id: string;
  readonly institution_ids: readonly string[];
}

/** The newest first. */
export type ContestedInquiries = wire.ListContestedInquiriesResponse;

function correction({ replacement, ...mending }: EventMending): wire.CorrectForDisputeRequest {
  return { ...mending, replacement: replacement && Replacement.decode(replacement) };
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
      return (await withRetry(ctx, () => reporting.locateRecords(ctx, request))).records;
    },
    locateSandboxEvent: (ctx, credit_event_id) =>
      withRetry(ctx, () => reporting.locateSandboxEvent(ctx, { credit_event_id })),
    async contestedRecord(ctx, wanted) {
      const { record } = await withRetry(ctx, () => reporting.getContestedRecord(ctx, wanted));
      if (record === undefined) throw new Error('Reporting left the contested record out.');
      return record;
    },
    correct(ctx, mending) {
      const request = correction(mending);
      return withRetry(ctx, () => reporting.correctForDispute(ctx, request));
    },
    async rehearse(ctx, { mending, ...outcome }) {
      const request = { ...outcome, correction: mending && correction(mending) };
      const { after, before, ...same } = await withRetry(ctx, () =>
        reporting.rehearseOutcome(ctx, request),
      );
      if (after === undefined || before === undefined) {
        throw new Error('Reporting left a rehearsed account out.');
      }
      return { ...same, after, before };
    },
    async forecastHealth(ctx, wanted) {
      return withRetry(ctx, () => reporting.forecastReportingHealth(ctx, wanted));
    },
    async coveredAccounts(ctx, { institution_ids, subject_id }) {
      const request = { subject_id, institution_ids: [...institution_ids] };
      return (await withRetry(ctx, () => reporting.listContestedAccounts(ctx, request))).accounts;
    },
    contestedInquiries(ctx, { institution_ids, subject_id }) {
      const request = { subject_id, institution_ids: [...institution_ids] };
      return withRetry(ctx, () => reporting.listContestedInquiries(ctx, request));
    },
    async voidInquiries(ctx, { institution_ids, inquiry_ids, ...voiding }) {
      const request = {
        ...voiding,
        institution_ids: [...institution_ids],
        inquiry_ids: [...inquiry_ids],
      };
      return (await withRetry(ctx, () => reporting.voidInquiries(ctx, request))).inquiry_ids;
    },
    async setSuppression(ctx, wanted) {
      const done = await withRetry(ctx, () => reporting.setSuppression(ctx, wanted));
      return done.credit_event_id !== undefined;
    },
    async explain(ctx, wanted) {
      return (await withRetry(ctx, () => reporting.explainCorrection(ctx, wanted))).changes;
    },
    locateOnFile: (ctx, record) =>
      withRetry(ctx, () => reporting.locatePersonRecord(ctx, { record })),
    async setReview(ctx, review) {
      await withRetry(ctx, () => reporting.setNetworkReview(ctx, review));
    },
  };
}
