import { createHash } from 'node:crypto';
import type { Fault, Kind, Row } from '@credit/furnishing';
import type { Answer, Client, Json } from '../demo/client';
import { inParallel } from '../in-parallel';

/** What became of a batch. */
export interface Outcome {
  reported: number;
  /** On file already with the same content. */
  existing: number;
  readonly refused: { readonly row: Row; readonly fault: Fault }[];
}

const BATCH = {
  accounts: { path: '/accounts/bulk', list: 'accounts', max: 100 },
  events: { path: '/events/bulk', list: 'events', max: 500 },
} as const;
/** `accounts[3].currency`, or `events[0]: …`. */
const INDEXED = /^(?:accounts|events)\[(\d{1,4})\][.:]?(\S*)/;
const CALLS_AT_ONCE = 8;
const MAX_KNOWN_ACCOUNTS = 50_000;

/** How many rows one request takes. */
export const batchSize = (kind: Kind): number => BATCH[kind].max;

interface Item {
  readonly row: Row;
  readonly body: Json;
}

/** Reports batches of rows through the public API. */
export class Reporter {
  private readonly account_ids = new Map<string, string>();

  constructor(
    private readonly api: Client,
    private readonly kind: Kind,
  ) {}

  async report(rows: readonly Row[]): Promise<Outcome> {
    const outcome: Outcome = { reported: 0, existing: 0, refused: [] };
    const resolved = await this.resolve(rows, outcome);
    await this.send(resolved, outcome);
    outcome.refused.sort((a, b) => a.row.line - b.row.line);
    return outcome;
  }

  /** Finds or makes what the rows are about, each thing once. */
  private async resolve(rows: readonly Row[], outcome: Outcome): Promise<Item[]> {
    const found = new Map<string, Promise<string | Omit<Fault, 'line'>>>();
    const once = (key: string, find: () => Promise<string | Omit<Fault, 'line'>>) => {
      const before = found.get(key);
      if (before !== undefined) return before;
      const now = find();
      found.set(key, now);
      return now;
    };
    const items = await inParallel(rows, CALLS_AT_ONCE, async (row): Promise<Item | undefined> => {
      const { subject, external_account_id, ...fields } = row.fields as Json;
      if (this.kind === 'accounts') {
        const body = { ...fields, external_account_id };
        if (subject === undefined) return { row, body };
        const id = await once(JSON.stringify(subject), () => this.subject(subject));
        if (typeof id === 'string') return { row, body: { subject_id: id, ...body } };
        outcome.refused.push({ row, fault: { line: row.line, ...id } });
        return undefined;
      }
      if (external_account_id === undefined) return { row, body: fields };
      const id = await once(external_account_id, () => this.account(external_account_id));
      if (typeof id === 'string') return { row, body: { credit_account_id: id, ...fields } };
      outcome.refused.push({ row, fault: { line: row.line, ...id } });
      return undefined;
    });
    return items.filter((item) => item !== undefined);
  }

  private async subject(subject: Json): Promise<string | Omit<Fault, 'line'>> {
    const answer = await this.call('POST', '/subjects', { body: subject });
    if (answer.status === 201) return answer.body.id;
    if (answer.status === 409) {
      const there = await this.sameSubject(subject, answer.body.error.existing_id);
      if (there !== undefined) return there;
      const existing = answer.body.error.existing_id;
      return {
        code: 'needs_review',
        field: 'subject',
        message:
          `looks like subject ${existing}: give that as subject_id, or confirm_distinct with a ` +
          'distinct_note',
      };
    }
    return refusal(answer, 'subject');
  }

  /** The one on file that has the same identity, not only a name like it. */
  private async sameSubject(subject: Json, existing: string | undefined) {
    if (subject.type === 'INDIVIDUAL') {
      const answer = await this.call('GET', `/subjects/game/${subject.game_uuid}`);
      return answer.status === 200 ? (answer.body.id as string) : undefined;
    }
    if (existing === undefined) return undefined;
    const answer = await this.call('GET', `/subjects/${existing}`);
    const same =
      answer.status === 200 &&
      answer.body.registration_number === subject.registration_number &&
      answer.body.legal_name === subject.legal_name;
    return same ? existing : undefined;
  }

  private async account(external_id: string): Promise<string | Omit<Fault, 'line'>> {
    const known = this.account_ids.get(external_id);
    if (known !== undefined) return known;
    const account = await this.findAccount(external_id);
    if (account === undefined) {
      return {
        code: 'NOT_FOUND',
        field: 'external_account_id',
        message: 'is no account of yours: report the accounts first',
      };
    }
    if (this.account_ids.size >= MAX_KNOWN_ACCOUNTS) this.account_ids.clear();
    this.account_ids.set(external_id, account.id);
    return account.id;
  }

  private async findAccount(external_id: string): Promise<Json | undefined> {
    const query = `external_account_id=${encodeURIComponent(external_id)}`;
    const answer = await this.call<Json[]>('GET', `/accounts?${query}`);
    if (answer.status !== 200) throw new Error(`GET /accounts: ${answer.text}`);
    return answer.body[0];
  }

  /** All or none go in one request: refused rows are taken out and the rest is sent again. */
  private async send(items: readonly Item[], outcome: Outcome): Promise<void> {
    if (items.length === 0) return;
    const { path, list } = BATCH[this.kind];
    const body = { [list]: items.map((item) => item.body) };
    // The same rows have the same key, in whichever run: a repetition is answered, not written.
    const key = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const headers = { 'idempotency-key': `furnish-${key.slice(0, 48)}` };
    const answer = await this.call('POST', path, { body, headers });
    if (answer.status === 201) {
      outcome.reported += items.length;
      return;
    }
    if (answer.body.error.reason === 'EXTERNAL_ID_TAKEN') {
      const rest = await this.withoutExisting(items, outcome);
      if (rest.length < items.length) {
        await this.send(rest, outcome);
        return;
      }
    }
    const named = faultsByIndex(answer, items.length);
    for (const [index, fault] of named) refuse(items[index] as Item, fault, outcome);
    if (named.size > 0) {
      await this.send(
        items.filter((_, index) => !named.has(index)),
        outcome,
      );
    } else if (items.length === 1) {
      refuse(items[0] as Item, refusal(answer, ''), outcome);
    } else {
      const half = Math.ceil(items.length / 2);
      await this.send(items.slice(0, half), outcome);
      await this.send(items.slice(half), outcome);
    }
  }

  /** One row on file already means that more of them may be: all are looked up at once. */
  private async withoutExisting(items: readonly Item[], outcome: Outcome): Promise<Item[]> {
    const rest = await inParallel(items, CALLS_AT_ONCE, async (item) => {
      const there = await this.findAccount(item.body.external_account_id);
      return there !== undefined && sameAccount(item.body, there) ? undefined : item;
    });
    const left = rest.filter((item) => item !== undefined);
    outcome.existing += items.length - left.length;
    return left;
  }

  private async call<Body = Json>(...request: Parameters<Client['request']>) {
    const answer = await this.api.request<Body>(...request);
    const { status } = answer;
    if (status === 401 || status === 403 || status === 429 || status >= 500) {
      throw new Error(`${request[0]} ${request[1]}: ${status} ${answer.text}`);
    }
    return answer;
  }
}

function refuse({ row }: Item, fault: Omit<Fault, 'line'>, outcome: Outcome): void {
  outcome.refused.push({ row, fault: { line: row.line, ...fault } });
}

/** Whether an account on file is the one that a row reports. */
function sameAccount(row: Json, there: Json): boolean {
  return (
    there.subject_id === row.subject_id &&
    there.account_type === row.account_type &&
    there.original_principal === row.original_principal &&
    Date.parse(there.opened_at) === Date.parse(row.opened_at)
  );
}

/** The refused rows of a batch, by the index that the error names. */
function faultsByIndex(answer: Answer, count: number) {
  const { error } = answer.body;
  const details: Json[] = error.details ?? [];
  const told = details.length > 0 ? details : [{ path: error.message, message: error.message }];
  const faults = new Map<number, Omit<Fault, 'line'>>();
  for (const { path, message } of told) {
    const place = INDEXED.exec(path);
    const index = Number(place?.[1] ?? -1);
    if (index < 0 || index >= count || faults.has(index)) continue;
    const field = details.length > 0 ? (place?.[2] ?? '') : '';
    faults.set(index, { code: codeOf(error), field, message });
  }
  return faults;
}

const codeOf = (error: Json): string => error.reason ?? error.code;

function refusal(answer: Answer, field: string): Omit<Fault, 'line'> {
  const { error } = answer.body;
  return { code: codeOf(error), field, message: error.message };
}
