import type { CallContext } from '../context';
import type { NewOutboxEvent } from './outbox';

/** A mutation to be logged; `changes` never holds a secret. */
export interface AuditEntry {
  /** Whose log it belongs to; the caller's institution when left out. */
  readonly institution_id?: string;
  /** For example `account.created`. */
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  /** RFC 3339. */
  readonly at: string;
}

/** The outbox event that carries an audit entry to identity's log. */
export function auditEvent(entry: AuditEntry, ctx: CallContext): NewOutboxEvent {
  const institution_id = entry.institution_id ?? ctx.institution_id;
  return {
    partition_key: institution_id,
    payload: {
      $case: 'audit_recorded',
      value: {
        institution_id,
        actor_type: ctx.actor.type,
        actor_id: ctx.actor.id,
        action: entry.action,
        target_type: entry.target_type,
        target_id: entry.target_id,
        ip: ctx.client_address,
        changes_json: JSON.stringify(entry.changes ?? {}, (_key, value) =>
          typeof value === 'bigint' ? value.toString() : value,
        ),
        at: entry.at,
      },
    },
  };
}
