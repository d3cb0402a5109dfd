import { createChannel, type RpcChannel, type RpcLogger, type Stub } from '@credit/platform/rpc';
import { DisputesServiceService } from '@credit/proto/disputes/v1/disputes';
import { IdentityServiceService } from '@credit/proto/identity/v1/identity';
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
}

export interface OpenClients extends Clients {
  close(): void;
}

/** Opens the channels; connecting goes on in the background. */
export function openClients(
  addresses: Readonly<Record<ServiceName, string>>,
  options: { readonly logger: RpcLogger; readonly max_in_flight: number },
): OpenClients {
  const channels: RpcChannel[] = [];
  const open = (name: ServiceName, transport: 'tunnel' | 'unary') => {
    const channel = createChannel({ target: addresses[name], transport, ...options });
    channels.push(channel);
    return channel;
  };
  // Health is served as plain gRPC only.
  const health = (name: ServiceName) => open(name, 'unary').stub(HealthService);
  return {
    identity: open('identity', 'tunnel').stub(IdentityServiceService),
    reporting: open('reporting', 'tunnel').stub(ReportingServiceService),
    scoring: open('scoring', 'tunnel').stub(ScoringServiceService),
    disputes: open('disputes', 'tunnel').stub(DisputesServiceService),
    webhooks: open('webhooks', 'tunnel').stub(WebhooksServiceService),
    health: {
      identity: health('identity'),
      reporting: health('reporting'),
      scoring: health('scoring'),
      disputes: health('disputes'),
      webhooks: health('webhooks'),
    },
    close() {
      for (const channel of channels) channel.close();
    },
  };
}
