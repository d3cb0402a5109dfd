import { inline, one, text } from '../inline';

// Pieces of pgbench scripts: the platform's statements for one command.

/** Picks one of the bench's accounts into the script's variables, each column by its name. */
export function pickAccount(count: number, more_columns: readonly string[] = []): string {
  const columns = ['account_id', 'subject_id', 'institution_id', ...more_columns];
  return [
    `\\set n random(1, ${count})`,
    '\\set key random(1, 9000000000000000000)',
    `SELECT ${columns.join(', ')} FROM bench_accounts WHERE n = :n \\gset`,
  ].join('\n');
}

/** Claims an idempotency key. */
export function claim(endpoint: string): string {
  return inline('idempotency_claim', [
    one(':institution_id', 'text'),
    one(text(endpoint), 'text'),
    one(':key', 'text'),
    one("'\\x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'", 'bytea'),
    one('86400', 'float8'),
  ]);
}

/** Keeps an answer of so many events. */
export function store(endpoint: string, events = 1): string {
  return inline('idempotency_store', [
    one(':institution_id', 'text'),
    one(text(endpoint), 'text'),
    one(':key', 'text'),
    one(`decode(repeat('ab', ${events * 180}), 'hex')`, 'bytea'),
  ]);
}

/** Writes events of the usual length, into a table like the outbox that nobody relays. */
export function outbox(types: readonly string[]): string {
  const list = (value: (type: string) => string, type: string) =>
    `ARRAY[${types.map(value).join(', ')}]::${type}[]`;
  return inline('outbox_insert', [
    list(() => 'gen_random_uuid()', 'uuid'),
    list(() => '7', 'smallint'),
    list((type) => text(type), 'text'),
    list(() => "decode(repeat('ab', 350), 'hex')", 'bytea'),
  ]).replace('INTO outbox', 'INTO bench_outbox');
}
