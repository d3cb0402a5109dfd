import type { Access, LimitClassName } from './access';

/**
 * What an operation is worth while not all can be served, the dearest first: ways in; writes with an
 * Idempotency-Key, which somebody will send until they are done; other changes and what a lender
 * decides by; a single record; lists and files; what anyone may read.
 */
export const PRIORITIES = ['door', 'keyed_write', 'decision', 'read', 'list', 'open'] as const;

export type Priority = (typeof PRIORITIES)[number];

/** What tells the worth of an operation. */
interface Declared {
  readonly method: string;
  readonly access: Access;
  readonly limit_class: LimitClassName;
  readonly idempotent?: true;
  readonly paging?: string | undefined;
  readonly stream?: readonly string[];
  readonly priority?: Priority;
}

/** Follows from the declaration, which says it where its kind does not tell. */
export function priorityOf(operation: Declared): Priority {
  const { access, idempotent, limit_class, method, paging, priority, stream } = operation;
  if (priority !== undefined) return priority;
  if (idempotent === true) return 'keyed_write';
  if (method !== 'GET') {
    return access.kind === 'public' && limit_class === 'STANDARD' ? 'door' : 'decision';
  }
  if (access.kind === 'public') return 'open';
  return paging !== undefined || stream !== undefined ? 'list' : 'read';
}
