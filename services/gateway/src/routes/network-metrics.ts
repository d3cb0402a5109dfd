import type { CallContext } from '@credit/platform/context';
import { withRetry } from '@credit/platform/rpc';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import { DisputeStatus } from '@credit/proto/disputes/v1/disputes';
import type { Traffic } from '@credit/proto/reporting/v1/reporting';
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
      const { hours, days } = await reporting.getReportingTraffic(
        { ...call.ctx, institution_id: '' },
        {},
      );
      return { hours: hours.map(trafficShown), days: days.map(trafficShown) };
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

/** A service that is just coming back is waited for, as anywhere; one that is away is left out. */
async function ifReachable<T>(ctx: CallContext, call: () => Promise<T>): Promise<T | undefined> {
  return withRetry(ctx, call).catch(() => undefined);
}

/** Listings say how many there are: no page of them is needed to know. */
async function countDisputes({ disputes }: Clients, ctx: CallContext) {
  const count = async (filter: { status?: DisputeStatus; overdue?: boolean }) =>
    (await disputes.listDisputes(ctx, { ...filter, limit: 1 })).total_count;
  const [open, under_review, overdue] = await Promise.all([
    count({ status: DisputeStatus.OPEN }),
    count({ status: DisputeStatus.UNDER_REVIEW }),
    count({ overdue: true }),
  ]);
  return { open: open + under_review, overdue };
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
