import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import { recordAuditEvents } from './commands/record-audit-events';
import { NETWORK_CHAIN_ID } from './domain/audit-chain';

/** What identity takes from the bus: every service's audit entries, its own among them. */
export function identityConsumers(): ConsumerDefinition[] {
  return [
    consumer({
      name: 'identity',
      type: 'audit_recorded',
      handleBatch: (_ctx, entries, tx) =>
        recordAuditEvents(
          tx,
          entries.map(({ event, payload }) => ({
            chain_id: payload.institution_id === '' ? NETWORK_CHAIN_ID : payload.institution_id,
            id: event.id,
            at: payload.at ?? event.created_at ?? '',
            actor_type: payload.actor_type,
            actor_id: payload.actor_id,
            action: payload.action,
            target_type: payload.target_type,
            target_id: payload.target_id,
            environment: event.environment,
            request_id: event.request_id,
            ip: payload.ip,
            changes: payload.changes_json,
          })),
        ),
    }),
  ];
}
