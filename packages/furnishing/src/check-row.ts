import {
  type BodyOf,
  type Operation,
  type Operations,
  operations,
  toDetails,
} from '@credit/contract';
import type { Fault, Kind, Row } from './row';

/** An account as a row reports it, with its subject or the id of it. */
export type AccountItem = BodyOf<Operations['createAccounts']>['accounts'][number];

/** An event as a row reports it. */
export interface EventItem {
  /** {@link LATER} where the row names its account by the furnisher's own id. */
  readonly event: BodyOf<Operations['reportEvents']>['events'][number];
  readonly external_account_id?: string | undefined;
}

/** What a row says, or everything that the API's rules and a file's have against it. */
export type Checked<Item> = { readonly item: Item } | { readonly faults: readonly Fault[] };

/** Stands for the id of an account that is known only once its event is reported. */
export const LATER = '00000000-0000-4000-8000-000000000000';

export const ONE_OF_BOTH = 'give this or credit_account_id, one of both';

/** Everything against a row of a kind; nothing is sent. */
export function faultsOf(row: Row, kind: Kind): readonly Fault[] {
  const checked = kind === 'accounts' ? checkAccountRow(row) : checkEventRow(row);
  return 'faults' in checked ? checked.faults : [];
}

/** A row of a file of accounts. */
export function checkAccountRow({ line, fields, fault }: Row): Checked<AccountItem> {
  if (fault !== undefined) return { faults: [fault] };
  const faults: Fault[] = [];
  const wrong = (field: string, message: string) => faults.push(ruled(line, field, message));
  const body = parsed(operations.createAccounts, { accounts: [fields] }, (path, message) =>
    wrong(path.replace('accounts[0].', ''), message),
  );
  const [item] = body?.accounts ?? [];
  const subject = item?.subject;
  if (subject?.type === 'ORGANISATION' && subject.registration_number === undefined) {
    const message = 'is required in a file: by it an organisation on file is found again';
    wrong('subject.registration_number', message);
  }
  return faults.length > 0 || item === undefined ? { faults } : { item };
}

/** A row of a file of events. */
export function checkEventRow({ line, fields, fault }: Row): Checked<EventItem> {
  if (fault !== undefined) return { faults: [fault] };
  const { external_account_id, ...event } = fields;
  const faults: Fault[] = [];
  const wrong = (field: string, message: string) => faults.push(ruled(line, field, message));
  if ((external_account_id === undefined) === (event.credit_account_id === undefined)) {
    wrong('external_account_id', ONE_OF_BOTH);
  }
  if (event.source_reference === undefined) {
    wrong('source_reference', 'is required in a file: by it an event on file is found again');
  }
  const own_id =
    external_account_id === undefined ? undefined : externalId(external_account_id, wrong);
  const body = parsed(
    operations.reportEvents,
    { events: [{ credit_account_id: LATER, ...event }] },
    (path, message) => wrong(path.replace('events[0].', ''), message),
  );
  const [item] = body?.events ?? [];
  if (faults.length > 0 || item === undefined) return { faults };
  return { item: { event: item, external_account_id: own_id } };
}

/** By the rule of the listing that finds an account by it. */
function externalId(
  value: unknown,
  wrong: (field: string, message: string) => void,
): string | undefined {
  const found = operations.listAccounts.query_schema.safeParse({ external_account_id: value });
  if (found.success) return found.data.external_account_id;
  for (const { path, message } of toDetails(found.error.issues)) wrong(path, message);
  return undefined;
}

/** The body inside, once an operation's declaration has nothing against it. */
export function parsed<Op extends { readonly body?: Operation['body'] }>(
  operation: Op,
  body: unknown,
  wrong: (path: string, message: string) => void,
): BodyOf<Op> | undefined {
  const checked = operation.body?.safeParse(body);
  if (checked?.success) return checked.data as BodyOf<Op>;
  for (const { path, message } of toDetails(checked?.error.issues ?? [])) wrong(path, message);
  return undefined;
}

export const ruled = (line: number, field: string, message: string): Fault => ({
  line,
  code: 'VALIDATION_ERROR',
  field,
  message,
});
