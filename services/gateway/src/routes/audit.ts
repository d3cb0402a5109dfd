import type { JsonText } from '@credit/contract';
import type { AuditEvent } from '@credit/proto/identity/v1/identity';
import type { Clients } from '../clients';
import type { HandlersOf } from '../handler';

function auditEvent(event: AuditEvent) {
  const { actor_type, actor_id, target_type, target_id, changes_json, ...rest } = event;
  return {
    ...rest,
    actor: { type: actor_type, id: actor_id },
    target: { type: target_type, id: target_id },
    changes_json: changes_json as JsonText,
  };
}

type AuditOperations = 'listAuditEvents' | 'listNetworkAuditEvents';

export function auditRoutes({ identity }: Clients): HandlersOf<AuditOperations> {
  return {
    listAuditEvents: async ({ ctx, query }) => {
      const { events, next_cursor } = await identity.listAuditEvents(ctx, query);
      return { items: events.map(auditEvent), next_cursor };
    },
    listNetworkAuditEvents: async ({ ctx, query }) => {
      const { events, next_cursor } = await identity.listNetworkAuditEvents(ctx, query);
      return { items: events.map(auditEvent), next_cursor };
    },
  };
}
