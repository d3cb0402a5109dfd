import type { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import type { HealthDefinition } from '@credit/proto/grpc/health/v1/health';
import type { IdentityServiceDefinition } from '@credit/proto/identity/v1/identity';
import type { OperationsServiceDefinition } from '@credit/proto/operations/v1/operations';
import type { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import type { ScoringServiceDefinition } from '@credit/proto/scoring/v1/scoring';
import type { WebhooksServiceDefinition } from '@credit/proto/webhooks/v1/webhooks';

type MethodOf<Service> = Service extends {
  fullName: infer Name extends string;
  methods: infer Methods extends Record<string, { name: string }>;
}
  ? `${Name}/${Methods[keyof Methods]['name']}`
  : never;

/** A gRPC method by its full name, as reflection and grpcurl know it. */
export type RpcMethod =
  | MethodOf<IdentityServiceDefinition>
  | MethodOf<ReportingServiceDefinition>
  | MethodOf<ScoringServiceDefinition>
  | MethodOf<DisputesServiceDefinition>
  | MethodOf<WebhooksServiceDefinition>
  | MethodOf<OperationsServiceDefinition>
  | MethodOf<HealthDefinition>;

/** Methods that no operation of the API leads to, each with what it is there for. */
export const INTERNAL_RPCS: Readonly<
  Partial<Record<RpcMethod | 'credit.rpc.v1.Tunnel/Exchange', string>>
> = {
  'grpc.health.v1.Health/Watch': 'Tells probes and load balancers of each change.',
  'credit.rpc.v1.Tunnel/Exchange': 'Carries the calls of all other methods between two services.',
  'credit.identity.v1.IdentityService/AuthorizeBatch':
    'Checks and meters the credential of every operation that needs one.',
  'credit.identity.v1.IdentityService/RecordRefusal':
    'Tells the audit log why a call was refused, where the answer does not.',
  'credit.reporting.v1.ReportingService/CountRejections':
    'Counts for members what the gateway has refused of their reporting.',
  'credit.reporting.v1.ReportingService/GetSubjectFile':
    'Scoring catches up with the record before it answers.',
  'credit.reporting.v1.ReportingService/ListSubjectHeads':
    'Scoring is rebuilt from, and reconciled with, the record.',
  'credit.reporting.v1.ReportingService/GetSubjectFileAt':
    'Scoring reads what was on record at a past time.',
  'credit.reporting.v1.ReportingService/GetInquiry':
    'Scoring gives notice of a look of the institution itself alone.',
  'credit.reporting.v1.ReportingService/ListSubjectEventsAt':
    'Reports of scoring list the events that were known at a time.',
  'credit.reporting.v1.ReportingService/ListSubjectChanges':
    'Scoring tells what lies between two snapshots.',
  'credit.reporting.v1.ReportingService/FollowSubject':
    'Scoring asks whether scores of the past may be shown without an inquiry.',
  'credit.reporting.v1.ReportingService/ListOwnRecords':
    'Scoring names the records of the past that are the caller’s own.',
  'credit.reporting.v1.ReportingService/SimulateSubjectFile':
    'Scoring asks what a file would be after events that have not happened.',
  'credit.reporting.v1.ReportingService/LocateRecords':
    'Disputes finds the record that is contested, and who reports it.',
  'credit.reporting.v1.ReportingService/LocateSandboxEvent':
    'Disputes asks whether a caller may contest an event in test, and where it is.',
  'credit.reporting.v1.ReportingService/ListContestedAccounts':
    'Disputes finds out which accounts a review covers.',
  'credit.reporting.v1.ReportingService/ListContestedInquiries':
    'Disputes shows the inquiries that a dispute may be about.',
  'credit.reporting.v1.ReportingService/GetContestedRecord':
    'Disputes shows what is contested beside the claim.',
  'credit.reporting.v1.ReportingService/RehearseOutcome':
    'Disputes asks what a decision would do to an account.',
  'credit.reporting.v1.ReportingService/ForecastReportingHealth':
    'Disputes asks what a decision would do to the health of whose record it is.',
  'credit.reporting.v1.ReportingService/VoidInquiries':
    'Disputes takes the effect of inquiries away that nobody authorised.',
  'credit.reporting.v1.ReportingService/SetNetworkReview':
    'Disputes marks an account while its data is contested.',
  'credit.reporting.v1.ReportingService/LocatePersonRecord':
    'Disputes asks where on its own file is what a person contests.',
  'credit.reporting.v1.ReportingService/SetSuppression':
    'Disputes leaves a contested record out of the file until that is decided.',
  'credit.reporting.v1.ReportingService/ExplainCorrection':
    'Disputes tells a person what an outcome has changed.',
  'credit.reporting.v1.ReportingService/CorrectForDispute':
    'Disputes has the correction filed that was decided on.',
};
