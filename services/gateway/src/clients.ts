import {
  type ChannelOptions,
  createChannel,
  HealthCheckDefinition,
  type RpcChannel,
  type RpcLogger,
  type Stub,
} from '@credit/platform/rpc';
import { DisputesServiceDefinition } from '@credit/proto/disputes/v1/disputes';
import { IdentityServiceDefinition } from '@credit/proto/identity/v1/identity';
import { OperationsServiceDefinition } from '@credit/proto/operations/v1/operations';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { ScoringServiceDefinition } from '@credit/proto/scoring/v1/scoring';
import { WebhooksServiceDefinition } from '@credit/proto/webhooks/v1/webhooks';

/** The services behind the gateway. */
export const SERVICE_NAMES = ['identity', 'reporting', 'scoring', 'disputes', 'webhooks'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The services as functions. */
export interface Clients {
  readonly identity: Stub<typeof IdentityServiceDefinition>;
  readonly reporting: Stub<typeof ReportingServiceDefinition>;
  readonly scoring: Stub<typeof ScoringServiceDefinition>;
  readonly disputes: Stub<typeof DisputesServiceDefinition>;
  readonly webhooks: Stub<typeof WebhooksServiceDefinition>;
  readonly health: Readonly<Record<ServiceName, Stub<typeof HealthCheckDefinition>>>;
  /** What each service says about itself. */
  readonly operations: Readonly<Record<ServiceName, Stub<typeof OperationsServiceDefinition>>>;
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
  const open = (name: ServiceName) => {
    const channel = createChannel({ target: addresses[name], ...options });
    channels.push(channel);
    return channel;
  };
  const identity = open('identity');
  const reporting = open('reporting');
  const scoring = open('scoring');
  const disputes = open('disputes');
  const webhooks = open('webhooks');
  const health = (channel: RpcChannel) => channel.stub(HealthCheckDefinition);
  const operations = (channel: RpcChannel) => channel.stub(OperationsServiceDefinition);
  return {
    identity: identity.stub(IdentityServiceDefinition),
    reporting: reporting.stub(ReportingServiceDefinition),
    scoring: scoring.stub(ScoringServiceDefinition),
    disputes: disputes.stub(DisputesServiceDefinition),
    webhooks: webhooks.stub(WebhooksServiceDefinition),
    health: {
      identity: health(identity),
      reporting: health(reporting),
      scoring: health(scoring),
      disputes: health(disputes),
      webhooks: health(webhooks),
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
