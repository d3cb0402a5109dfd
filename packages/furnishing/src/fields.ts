import { type FieldOf, fieldsOfItems, operations } from '@credit/contract';
import type { Format, Kind } from './row';

/** By its name: what is not NDJSON is CSV. */
export const formatOf = (file: string): Format =>
  /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv';

/** Every field that a row can have a cell for, `metadata` apart, which has names of its own. */
export function fieldsOfRows(kind: Kind): readonly FieldOf[] {
  if (kind === 'accounts') return fieldsOfItems(operations.createAccounts);
  const own = {
    path: 'external_account_id',
    is_required: false,
    description: 'Your own id of the account. A row gives this or credit_account_id.',
    values: undefined,
  };
  const fields = fieldsOfItems(operations.reportEvents).map((field) => {
    if (field.path === 'source_reference') return { ...field, is_required: true };
    return field.path === 'credit_account_id' ? { ...field, is_required: false } : field;
  });
  return [own, ...fields];
}

const TEMPLATES: Readonly<Record<Kind, readonly string[]>> = {
  accounts: [
    'subject.type',
    'subject.game_uuid',
    'subject.current_username',
    'external_account_id',
    'account_type',
    'currency',
    'original_principal',
    'current_balance',
    'opened_at',
  ],
  events: [
    'external_account_id',
    'event_type',
    'occurred_at',
    'amount',
    'balance_after',
    'source_reference',
  ],
};

/** The columns of a file to begin with: what nearly every book has. */
export function templateOf(kind: Kind): readonly string[] {
  return TEMPLATES[kind];
}
