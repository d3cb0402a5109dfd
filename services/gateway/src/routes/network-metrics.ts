import type { CallContext } from '@credit/platform/context';
import { withRetry } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { DisputeOrder, DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import type { Waiting } from '@credit/proto/identity/v1/identity';
import type { Traffic } from '@credit/proto/reporting/v1/reporting';
import type { DeliveryTraffic } from '@credit/proto/webhooks/v1/webhooks';
import { type Clients, SERVICE_NAMES, type ServiceName } from '../clients';
import type { HandlersOf } from '../handler';

/** A service that hangs must not take the figures of the others with it. */
const TIMEOUT_MS = 5_000;

/** How large the network is and how well it runs. */
export function networkMetricsRoutes(
  clients: Clients,
  { clock }: { readonly clock: Clock },
): HandlersOf<'getNetworkMetrics' | 'getNetworkTraffic'> {
  const { identity, reporting, webhooks } = clients;
  return {
    getNetworkTraffic: async (call) => {
      const ctx = { ...call.ctx, institution_id: '' };
      const deadline_at_ms = Math.min(ctx.deadline_at_ms, clock.now_ms() + TIMEOUT_MS);
      const [{ hours, days }, sent] = await Promise.all([
        reporting.getReportingTraffic(ctx, {}),
        ifReachable(ctx, () => webhooks.getDeliveryTraffic({ ...ctx, deadline_at_ms }, {})),
      ]);
      return {
        hours: hours.map(trafficShown),
        days: days.map(trafficShown),
        deliveries: sent && {
          hours: sent.hours.map(deliveriesShown),
          days: sent.days.map(deliveriesShown),
        },
      };
    },
    getNetworkMetrics: async (call) => {
      const deadline_at_ms = Math.min(call.ctx.deadline_at_ms, clock.now_ms() + TIMEOUT_MS);
      // Of the whole network, whoever asks.
      const ctx = { ...call.ctx, institution_id: '', deadline_at_ms };
      const [members, reported, deliveries, disputes, services] = await Promise.all([
        ifReachable(ctx, () => identity.getIdentityTotals(ctx, {})),
        ifReachable(ctx, () => reporting.getReportingFigures(ctx, {})),
        ifReachable(ctx, () => webhooks.getDeliveryFigures(ctx, {})),
        ifReachable(ctx, () => countDisputes(clients, ctx)),
        Promise.all(SERVICE_NAMES.map((name) => serviceFigures(clients, ctx, name))),
      ]);
      return {
        at: toTimestamp(clock.now_ms()),
        institutions: members?.institutions_by_status.map(withNumber),
        accounts: reported?.accounts_by_status.map(withNumber),
        subjects: reported && Number(reported.subjects),
        events: reported && {
          total: Number(reported.events),
          last_24h: Number(reported.events_24h),
        },
        inquiries: reported && {
          total: Number(reported.inquiries),
          last_24h: Number(reported.inquiries_24h),
        },
        deliveries_24h: deliveries,
        applications_waiting: waitingShown(members?.applications_waiting),
        contact_requests_waiting: waitingShown(members?.contact_requests_waiting),
        disputes,
        services,
      };
    },
  };
}

function withNumber<Status>({ status, count }: { status: Status; count: bigint }) {
  return { status, count: Number(count) };
}

function trafficShown({ from, accounts, events, inquiries }: Traffic) {
  return {
    from,
    accounts: Number(accounts),
    events: Number(events),
    inquiries: Number(inquiries),
  };
}

function deliveriesShown({ from, delivered, failed_attempts, given_up }: DeliveryTraffic) {
  return {
    from,
    delivered: Number(delivered),
    failed_attempts: Number(failed_attempts),
    given_up: Number(given_up),
  };
}

function waitingShown(waiting: Waiting | undefined) {
  return waiting && { count: Number(waiting.count), waiting_since: waiting.waiting_since };
}

/** A service that is just coming back is waited for, as anywhere; one that is away is left out. */
async function ifReachable<T>(ctx: CallContext, call: () => Promise<T>): Promise<T | undefined> {
  return withRetry(ctx, call).catch(() => undefined);
}

/** Listings say how many there are: no page of them is needed to know. */
async function countDisputes({ disputes }: Clients, ctx: CallContext) {
  const first = (filter: { status?: DisputeStatus; overdue?: boolean; order?: DisputeOrder }) =>
    disputes.listDisputes(ctx, { ...filter, limit: 1 });
  const [open, under_review, overdue] = await Promise.all([
    first({ status: DisputeStatus.OPEN }),
    first({ status: DisputeStatus.UNDER_REVIEW }),
    first({ overdue: true, order: DisputeOrder.DUE }),
  ]);
  return {
    open: open.total_count + under_review.total_count,
    overdue: overdue.total_count,
    due_at: overdue.disputes[0]?.due_at,
  };
}

async function serviceFigures(clients: Clients, ctx: CallContext, name: ServiceName) {
  const figures = await ifReachable(ctx, () => clients.operations[name].getServiceFigures(ctx, {}));
  return {
    name,
    reachable: figures !== undefined,
    outboxes: (figures?.outboxes ?? []).map(({ environment, unpublished, oldest_age_s }) => ({
      environment: environment === 'test' ? ('test' as const) : ('live' as const),
      unpublished,
      oldest_age_s: Math.floor(oldest_age_s),
    })),
    consumers: (figures?.consumers ?? []).map(({ consumer, pending, unacknowledged }) => ({
      name: consumer,
      pending: Number(pending),
      unacknowledged: Number(unacknowledged),
    })),
    dead_letters: figures?.dead_letters,
  };
}
