import type { Clock } from '@credit/platform/runtime';
import type { Clients } from '../clients';
import { DownloadSlots } from '../download';
import type { Handlers } from '../handler';
import { accountExportRoutes } from './account-export';
import { accountRoutes } from './accounts';
import { adminRoutes } from './admin';
import { apiKeyRoutes } from './api-keys';
import { auditRoutes } from './audit';
import { authRoutes } from './auth';
import { creditRoutes } from './credit';
import { disputeRoutes } from './disputes';
import { eventRoutes } from './events';
import { importRoutes } from './imports';
import { myRoutes } from './my';
import { myDisputesRoutes } from './my-disputes';
import { myFileRoutes } from './my-file';
import { myRightsRoutes } from './my-rights';
import { networkMetricsRoutes } from './network-metrics';
import { type PublicParts, publicRoutes } from './public';
import { reportingHealthRoutes } from './reporting-health';
import { type NetworkParts, reportRoutes } from './reports';
import { sandboxRoutes } from './sandbox';
import { subjectMoveRoutes } from './subject-moves';
import { subjectRoutes } from './subjects';
import { webhookRoutes } from './webhooks';

/** What handlers need beside the services. */
export interface RouteParts extends PublicParts, NetworkParts {
  readonly clock: Clock;
}

/** What answers each operation. */
export function buildHandlers(clients: Clients, parts: RouteParts): Handlers {
  const slots = new DownloadSlots();
  return {
    ...accountExportRoutes(clients, slots),
    ...accountRoutes(clients),
    ...adminRoutes(clients),
    ...apiKeyRoutes(clients),
    ...auditRoutes(clients, slots),
    ...authRoutes(clients, parts),
    ...creditRoutes(clients),
    ...disputeRoutes(clients),
    ...eventRoutes(clients),
    ...importRoutes(clients, slots),
    ...myRoutes(clients),
    ...myRightsRoutes(clients),
    ...myDisputesRoutes(clients),
    ...myFileRoutes(clients, slots),
    ...networkMetricsRoutes(clients, parts),
    ...publicRoutes(clients, parts),
    ...reportingHealthRoutes(clients),
    ...reportRoutes(clients, parts),
    ...sandboxRoutes(clients),
    ...subjectMoveRoutes(clients),
    ...subjectRoutes(clients),
    ...webhookRoutes(clients),
  };
}
