import { createHash, randomUUID } from 'node:crypto';
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
/** `accounts[3].currency`, `subjects[1].legal_name`, or `events[0]: …`. */
const INDEXED = /^(?:subjects|accounts|events)\[(\d{1,4})\][.:]?(\S*)/;
const CALLS_AT_ONCE = 8;
const MAX_KNOWN_ACCOUNTS = 50_000;
/** Batches in flight: about where one more makes nothing faster. */
const LANES = 4;
/** Between two notes of how far it is: what a kill may have to be asked for again. */
const BATCHES_A_LANE = 2;

/** How many rows are best reported at once. */
export const portionSize = (kind: Kind): number => LANES * BATCHES_A_LANE * BATCH[kind].max;

interface Item {
  readonly row: Row;
  readonly body: Json;
}

type Why = Omit<Fault, 'line'>;
/** An id, or why there is none. */
type Found = string | Why;

interface Described {
  readonly key: string;
  readonly body: Json;
}

/** Reports rows through the public API. */
export class Reporter {
  private readonly account_ids = new Map<string, string>();
  /** The last batch was on file already, as it is when a file is reported again. */
  private isRepetition = false;

  constructor(
    private readonly api: Client,
    private readonly kind: Kind,
  ) {}

  /** A few batches at once, but an account's rows one after the other. */
  async report(rows: readonly Row[]): Promise<Outcome> {
    const outcome: Outcome = { reported: 0, existing: 0, refused: [] };
    const { max } = BATCH[this.kind];
    await inParallel(inLanes(rows, LANES), LANES, async (lane) => {
      for (let at = 0; at < lane.length; at += max) {
        await this.send(await this.resolve(lane.slice(at, at + max), outcome), outcome);
      }
    });
    outcome.refused.sort((a, b) => a.row.line - b.row.line);
    return outcome;
  }

  /** Finds or makes what the rows are about, each thing once. */
  private async resolve(rows: readonly Row[], outcome: Outcome): Promise<Item[]> {
    const { owner, id_field, find } =
      this.kind === 'accounts'
        ? {
            owner: 'subject',
            id_field: 'subject_id',
            find: (named: Described[]) => this.subjects(named),
          }
        : {
            owner: 'external_account_id',
            id_field: 'credit_account_id',
            find: (named: Described[]) => this.accounts(named),
          };
    const named = new Map<string, Described>();
    for (const { fields } of rows) {
      const body = (fields as Json)[owner];
      const key = JSON.stringify(body);
      if (body !== undefined) named.set(key, { key, body });
    }
    const found = await find([...named.values()]);
    return rows.flatMap((row): Item[] => {
      const { [owner]: by, ...body } = row.fields as Json;
      if (by === undefined) return [{ row, body }];
      const id = found.get(JSON.stringify(by));
      if (typeof id === 'string') return [{ row, body: { [id_field]: id, ...body } }];
      if (id === undefined) throw new Error(`The API says nothing of a ${owner}.`);
      refuse(row, id, outcome);
      return [];
    });
  }

  /** Finds the subjects on file or creates them. */
  private async subjects(subjects: readonly Described[]): Promise<Map<string, Found>> {
    const found = new Map<string, Found>();
    await this.deliver(subjects, {
      path: '/subjects/bulk',
      list: 'subjects',
      // What is on file is found again anyway; a doubt that was settled meanwhile is not repeated.
      keyOf: () => randomUUID(),
      taken: (sent, answer) => {
        for (const [index, { key }] of sent.entries()) {
          const { subject_id, matches } = answer.subjects[index];
          found.set(key, subject_id ?? needsReview(matches));
        }
      },
      refused: ({ key }, { field, ...why }) => {
        found.set(key, { ...why, field: field === '' ? 'subject' : `subject.${field}` });
      },
    });
    return found;
  }

  private async accounts(named: readonly Described[]): Promise<Map<string, Found>> {
    const found = await inParallel(named, CALLS_AT_ONCE, async ({ key, body }) => {
      return [key, await this.account(String(body))] as const;
    });
    return new Map(found);
  }

  private async account(external_id: string): Promise<Found> {
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

  private async send(items: readonly Item[], outcome: Outcome): Promise<void> {
    const { path, list } = BATCH[this.kind];
    // What is refused counts against the furnisher: of a repetition it is asked first.
    const left = this.isRepetition ? await this.withoutExisting(items, outcome) : items;
    await this.deliver(left, {
      path,
      list,
      // The same rows have the same key, in whichever run: a repetition is answered, not written.
      keyOf: (body) => createHash('sha256').update(body).digest('hex').slice(0, 48),
      taken: (sent) => {
        outcome.reported += sent.length;
      },
      refused: ({ row }, why) => refuse(row, why, outcome),
      without: async (sent, { error }) =>
        error.reason === 'EXTERNAL_ID_TAKEN' ? this.withoutExisting(sent, outcome) : sent,
    });
  }

  /** All or none go in one request: refused items are taken out and the rest is sent again. */
  private async deliver<Sent extends { readonly body: Json }>(
    items: readonly Sent[],
    order: Delivery<Sent>,
  ): Promise<void> {
    if (items.length === 0) return;
    const { path, list, keyOf, taken, refused, without } = order;
    const body = { [list]: items.map((item) => item.body) };
    const headers = { 'idempotency-key': `furnish-${keyOf(JSON.stringify(body))}` };
    const answer = await this.call('POST', path, { body, headers });
    if (answer.status === 201) {
      taken(items, answer.body);
      return;
    }
    const rest = (await without?.(items, answer.body)) ?? items;
    if (rest.length < items.length) {
      await this.deliver(rest, order);
      return;
    }
    const named = faultsByIndex(answer, items.length);
    for (const [index, why] of named) refused(items[index] as Sent, why);
    if (named.size > 0) {
      await this.deliver(
        items.filter((_, index) => !named.has(index)),
        order,
      );
    } else if (items.length === 1) {
      refused(items[0] as Sent, refusal(answer, ''));
    } else {
      const half = Math.ceil(items.length / 2);
      await this.deliver(items.slice(0, half), order);
      await this.deliver(items.slice(half), order);
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
    this.isRepetition = left.length === 0;
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

/** How a list goes to the API, and what is done with what comes back. */
interface Delivery<Sent> {
  readonly path: string;
  readonly list: string;
  readonly keyOf: (body: string) => string;
  readonly taken: (sent: readonly Sent[], answer: Json) => void;
  readonly refused: (item: Sent, why: Why) => void;
  /** What is left to send of a refused list, where some of it need not be sent. */
  readonly without?: (sent: readonly Sent[], answer: Json) => Promise<readonly Sent[]>;
}

/**
 * Rows in lanes of about one length. All rows of an account are in one, in their order: what is in
 * different lanes can be reported at once.
 */
export function inLanes(rows: readonly Row[], count: number): Row[][] {
  const lanes = Array.from({ length: count }, (): Row[] => []);
  const of_account = new Map<unknown, Row[]>();
  for (const row of rows) {
    const { external_account_id, credit_account_id } = row.fields as Json;
    const account = external_account_id ?? credit_account_id;
    const lane = of_account.get(account) ?? lanes.reduce((a, b) => (b.length < a.length ? b : a));
    of_account.set(account, lane);
    lane.push(row);
  }
  return lanes;
}

function needsReview(matches: readonly Json[]): Why {
  return {
    code: 'needs_review',
    field: 'subject',
    message: `${matches.map(({ message }) => message).join(' ')} If it is the same, give its id as subject_id.`,
  };
}

function refuse(row: Row, why: Why, outcome: Outcome): void {
  outcome.refused.push({ row, fault: { line: row.line, ...why } });
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
  const faults = new Map<number, Why>();
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

function refusal(answer: Answer, field: string): Why {
  const { error } = answer.body;
  return { code: codeOf(error), field, message: error.message };
}
