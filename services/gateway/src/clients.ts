import {
  type ChannelOptions,
  createChannel,
  type RpcChannel,
  type RpcLogger,
  type Stub,
} from '@credit/platform/rpc';
import { DisputesServiceService } from '@credit/proto/disputes/v1/disputes';
import { IdentityServiceService } from '@credit/proto/identity/v1/identity';
import { OperationsServiceService } from '@credit/proto/operations/v1/operations';
import { ReportingServiceService } from '@credit/proto/reporting/v1/reporting';
import { ScoringServiceService } from '@credit/proto/scoring/v1/scoring';
import { WebhooksServiceService } from '@credit/proto/webhooks/v1/webhooks';
import { HealthService } from './health-service';

/** The services behind the gateway. */
export const SERVICE_NAMES = ['identity', 'reporting', 'scoring', 'disputes', 'webhooks'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The services as functions. */
export interface Clients {
  readonly identity: Stub<typeof IdentityServiceService>;
  readonly reporting: Stub<typeof ReportingServiceService>;
  readonly scoring: Stub<typeof ScoringServiceService>;
  readonly disputes: Stub<typeof DisputesServiceService>;
  readonly webhooks: Stub<typeof WebhooksServiceService>;
  readonly health: Readonly<Record<ServiceName, Stub<typeof HealthService>>>;
  /** What each service says about itself. */
  readonly operations: Readonly<Record<ServiceName, Stub<typeof OperationsServiceService>>>;
}

export interface OpenClients extends Clients {
  close(): void;
}

/** Opens the channels; connecting goes on in the background. */
export function openClients(
  addresses: Readonly<Record<ServiceName, string>>,
  options: {
    readonly logger: RpcLogger;
    readonly max_in_flight: number;
    /** Plain text when absent. */
    readonly credentials?: ChannelOptions['credentials'];
  },
): OpenClients {
  const channels: RpcChannel[] = [];
  const open = (name: ServiceName, transport: 'tunnel' | 'unary') => {
    const channel = createChannel({ target: addresses[name], transport, ...options });
    channels.push(channel);
    return channel;
  };
  const identity = open('identity', 'tunnel');
  const reporting = open('reporting', 'tunnel');
  const scoring = open('scoring', 'tunnel');
  const disputes = open('disputes', 'tunnel');
  const webhooks = open('webhooks', 'tunnel');
  // Health is served as plain gRPC only.
  const health = (name: ServiceName) => open(name, 'unary').stub(HealthService);
  const operations = (channel: RpcChannel) => channel.stub(OperationsServiceService);
  return {
    identity: identity.stub(IdentityServiceService),
    reporting: reporting.stub(ReportingServiceService),
    scoring: scoring.stub(ScoringServiceService),
    disputes: disputes.stub(DisputesServiceService),
    webhooks: webhooks.stub(WebhooksServiceService),
    health: {
      identity: health('identity'),
      reporting: health('reporting'),
      scoring: health('scoring'),
      disputes: health('disputes'),
      webhooks: health('webhooks'),
    },
    operations: {
      identity: operations(identity),
      reporting: operations(reporting),
      scoring: operations(scoring),
      disputes: operations(disputes),
      webhooks: operations(webhooks),
    },
    close() {
      for (const channel of channels) channel.close();
    },
  };
}
