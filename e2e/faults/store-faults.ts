import type { NatsCluster } from './nats-cluster';
import type { PostgresPair } from './postgres-pair';
import type { StoreFault } from './store-plan';

/** Resolves once it is undone; what it broke may still be recovering. */
export function inflictOnStore(
  fault: StoreFault,
  { postgres, nats }: { readonly postgres: PostgresPair; readonly nats: NatsCluster },
): Promise<void> {
  switch (fault.kind) {
    case 'postgres_stop':
      return postgres.restart('SIGQUIT');
    case 'postgres_kill':
      return postgres.restart('SIGKILL');
    case 'postgres_freeze':
      return postgres.freeze(fault.for_ms);
    case 'disk_full':
      return postgres.fillDisk(fault.disk, fault.for_ms);
    case 'commit_cut':
      return postgres.cutCommits(fault.when, fault.for_ms);
    case 'failover':
      return postgres.failOver(fault.how);
    case 'standby_lost':
      return postgres.loseStandby(fault.for_ms);
    case 'standby_lags':
      return postgres.lag(fault.for_ms, fault.delay_ms);
    case 'nats_kill':
      return nats.killAll({ away_ms: fault.for_ms, wipe: false });
    case 'nats_wipe':
      return nats.killAll({ away_ms: 0, wipe: true });
    case 'nats_leader_kill':
      return nats.killLeader(fault.for_ms);
    case 'nats_node_cut':
      return nats.cutNode(fault.node, fault.how, fault.for_ms);
    case 'nats_node_wipe':
      return nats.wipeNode(fault.node, fault.for_ms);
    default:
      return fault satisfies never;
  }
}
