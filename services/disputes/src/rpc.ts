import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import type { Clock } from '@credit/platform/runtime';
import * as wire from '@credit/proto/disputes/v1/disputes';
import { openDispute } from './commands/open-dispute';
import { type Dispute, type DisputeReason, type DisputeStatus, isOverdue } from './domain/dispute';
import { listDisputes } from './queries/list-disputes';

/** What the handlers need. */
export interface DisputesRpcDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The gRPC face of the service. */
export function disputesRpc({ clock, db, newId }: DisputesRpcDeps): ServiceRegistration {
  return serviceRegistration(wire.DisputesServiceService, {
    openDispute: async (ctx, request) => {
      const now_ms = clock.now_ms();
      const { reason, ...draft } = request;
      const dispute = await openDispute(db, ctx, {
        id: newId(),
        draft: { ...draft, reason: reasonFrom(reason) },
        now_ms,
      });
      return { dispute: disputeMessage(dispute, now_ms) };
    },
    listDisputes: async (ctx, request) => {
      const now_ms = clock.now_ms();
      const { status, ...wanted } = request;
      const page = await listDisputes(db, ctx, { ...wanted, status: statusFrom(status), now_ms });
      return {
        disputes: page.disputes.map((dispute) => disputeMessage(dispute, now_ms)),
        next_cursor: page.next_cursor,
        total_count: page.total_count,
      };
    },
  });
}

function disputeMessage(dispute: Dispute, now_ms: number): wire.Dispute {
  return {
    id: dispute.id,
    status: wire.DisputeStatus[dispute.status],
    subject_id: dispute.subject_id ?? undefined,
    credit_event_id: dispute.credit_event_id ?? undefined,
    reported_institution_id: dispute.reported_institution_id ?? undefined,
    opened_by: dispute.opened_by,
    reason: wire.DisputeReason[dispute.reason],
    description: dispute.description,
    evidence_links: [...dispute.evidence_links],
    resolution: dispute.resolution ?? undefined,
    opened_at: dispute.opened_at,
    due_at: dispute.due_at,
    overdue: isOverdue(dispute, now_ms),
    resolved_at: dispute.resolved_at ?? undefined,
    correction_event_id: dispute.correction_event_id ?? undefined,
    correction_pending: dispute.correction_pending,
  };
}

/** Undefined for the enum's zero, which stands for a reason that was not given. */
function reasonFrom(value: wire.DisputeReason): DisputeReason | undefined {
  const name = nameOf(wire.DisputeReason, value);
  if (name === undefined) throw invalid('reason', 'is not a known reason');
  return name === 'UNSPECIFIED' ? undefined : name;
}

function statusFrom(value: wire.DisputeStatus | undefined): DisputeStatus | null {
  if (value === undefined) return null;
  const name = nameOf(wire.DisputeStatus, value);
  if (name === undefined) throw invalid('status', 'is not a known status');
  return name === 'UNSPECIFIED' ? null : name;
}

/** The bare name of an enum's value. */
function nameOf<Name extends string>(
  values: Readonly<Record<Name, string>>,
  value: string,
): Name | undefined {
  return (Object.keys(values) as Name[]).find((name) => values[name] === value);
}
