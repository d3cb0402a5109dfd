import { type ConsumerDefinition, consumer } from '@credit/platform/bus';
import { recordAuditEvents } from './commands/record-audit-events';
import { signEventLog } from './commands/sign-event-log';
import type { SigningDependencies } from './commands/sign-next';
import { NETWORK_CHAIN_ID } from './domain/audit-chain';

/**
 * What identity takes from the bus: every service's audit entries, its own among them, and what the
 * log of credit events has become, to sign it.
 */
export function identityConsumers(deps: SigningDependencies): ConsumerDefinition[] {
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
    consumer({
      name: 'identity',
      type: 'event_log_grown',
      handle: (ctx, _event, payload, tx) =>
        signEventLog(tx, deps, {
          environment: ctx.environment,
          institution_id: payload.institution_id,
          from_size: Number(payload.from_size),
          head: { size: Number(payload.size), root: Buffer.from(payload.root_hash) },
          path: payload.consistency_path.map((hash) => Buffer.from(hash)),
        }),
    }),
  ];
}
