import type { Clients } from '../clients';
import type { Handlers } from '../handler';
import { accountRoutes } from './accounts';
import { adminRoutes } from './admin';
import { apiKeyRoutes } from './api-keys';
import { auditRoutes } from './audit';
import { authRoutes } from './auth';
import { creditRoutes } from './credit';
import { disputeRoutes } from './disputes';
import { eventRoutes } from './events';
import { type PublicParts, publicRoutes } from './public';
import { subjectRoutes } from './subjects';
import { webhookRoutes } from './webhooks';

/** What answers each operation. */
export function buildHandlers(clients: Clients, parts: PublicParts): Handlers {
  return {
    ...accountRoutes(clients),
    ...adminRoutes(clients),
    ...apiKeyRoutes(clients),
    ...auditRoutes(clients),
    ...authRoutes(clients),
    ...creditRoutes(clients),
    ...disputeRoutes(clients),
    ...eventRoutes(clients),
    ...publicRoutes(clients, parts),
    ...subjectRoutes(clients),
    ...webhookRoutes(clients),
  };
}
