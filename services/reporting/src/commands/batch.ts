// What the set-based commands share: several requests, each of one or many items, decided
// together and written at once.

import type { CallContext } from '@credit/platform/context';
import type { Outcome } from '@credit/platform/db';
import { AppError, type ErrorDetail, invalid, isAppError } from '@credit/platform/errors';
import type { Clock } from '@credit/platform/runtime';

/** What a command needs of the world. */
export interface CommandDeps {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** One request of a batch: all of its items or none. */
export interface BatchRequest<Item> {
  readonly ctx: CallContext;
  readonly items: readonly Item[];
  /** The field that holds the items, when errors are to name an item's index. */
  readonly list?: string | undefined;
}

/** A request that is still in the running. */
export interface Candidate<Item> {
  readonly index: number;
  readonly request: BatchRequest<Item>;
}

/** A refusal becomes an outcome; anything else is a bug and goes on. */
export function attempt<Res>(run: () => Res): Outcome<Res> {
  try {
    return { value: run() };
  } catch (error) {
    if (isAppError(error)) return { error };
    throw error;
  }
}

/**
 * Checks the shape of every item of a request. Throws one 422 that names all faults, each with its
 * item's index.
 */
export function checkAll<Draft, Item>(
  drafts: readonly Draft[],
  list: string | undefined,
  check: (draft: Draft, index: number) => Item | ErrorDetail[],
): Item[] {
  const details: ErrorDetail[] = [];
  const items: Item[] = [];
  for (const [index, draft] of drafts.entries()) {
    const result = check(draft, index);
    if (Array.isArray(result)) details.push(...result.map((detail) => at(detail, list, index)));
    else items.push(result);
  }
  if (details.length > 0) throw invalid(details.slice(0, MAX_DETAILS));
  return items;
}

/** Enough to repair a batch; more would only be a longer answer. */
export const MAX_DETAILS = 100;

function at(detail: ErrorDetail, list: string | undefined, index: number): ErrorDetail {
  if (list === undefined) return detail;
  return { ...detail, path: `${list}[${index}].${detail.path}` };
}

/** Runs the decision on one item; a refusal within a list names the item's index. */
export function decideItem<Res>(list: string | undefined, index: number, decide: () => Res): Res {
  try {
    return decide();
  } catch (error) {
    if (!isAppError(error) || list === undefined) throw error;
    const details = error.details.map((detail) => at(detail, list, index));
    if (error.code === 'VALIDATION_ERROR') throw invalid(details);
    const { existing_id, merged_into, reason } = error;
    throw new AppError(error.code, `${list}[${index}]: ${error.message}`, {
      details,
      existing_id,
      merged_into,
      reason,
    });
  }
}
