import type { Actor } from '@credit/platform/context';
import { ENVIRONMENTS } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { type Clock, toTimestamp } from '@credit/platform/runtime';
import type { Institution } from '../domain/institutions';

/** What is told to the audit log; `changes` never holds a secret. */
export interface Told {
  /** Whose log; undefined for the network's own. */
  readonly institution_id: string | undefined;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly changes?: Readonly<Record<string, unknown>>;
  /** Where it is not the caller: a login's user is known only once it succeeded. */
  readonly actor?: Actor;
}

/** Fields as the log writes them: what is absent is null there, and not left out. */
export function withNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]));
}

/** Tells the audit log, with the change. */
export function tellAudit(tx: Transaction, clock: Clock, told: Told): void {
  const { actor, institution_id, ...entry } = told;
  tx.audit(
    {
      ...entry,
      institution_id: institution_id ?? '',
      at: toTimestamp(clock.now_ms()),
    },
    actor === undefined ? tx.ctx : { ...tx.ctx, actor },
  );
}

/**
 * Tells the audit logs of what an administrator of the platform did: the network's, where all of
 * that is found together, and those of the institutions that it concerns.
 */
export function tellAdministration(
  tx: Transaction,
  clock: Clock,
  told: Omit<Told, 'institution_id' | 'actor'>,
  concerned: readonly (string | undefined)[],
): void {
  for (const institution_id of new Set([undefined, ...concerned])) {
    tellAudit(tx, clock, { ...told, institution_id });
  }
}

/**
 * Tells the other services, with the change. In both environments: those keep test and
 * live data apart, and an institution stands in both.
 */
export function tellInstitution(tx: Transaction, institution: Institution): void {
  const { id, name, status, version } = institution;
  for (const environment of ENVIRONMENTS) {
    tx.outbox(
      {
        partition_key: id,
        payload: {
          $case: 'institution_changed',
          value: { institution_id: id, name, status, version },
        },
      },
      { ...tx.ctx, environment },
    );
  }
}
