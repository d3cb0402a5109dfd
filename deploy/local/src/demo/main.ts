import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inParallel } from '../in-parallel';
import { readSettings } from '../settings';
import { Client, enrol, type Json, logIn } from './client';
import { findLoans, type Loan } from './loans';
import {
  borrower,
  borrowerUuid,
  earlierInquiries,
  fileAccounts,
  fileEvents,
  loanAccount,
  loanEvents,
} from './plan';
import { Progress } from './progress';
import { type Received, startReceiver, verifies } from './receiver';
import { renderReport } from './report';
import { type DemoState, readState, writeState } from './state';

// Reports real loans through the public API as two members: a bank, which knows
// the borrowers' files, and a lender, which reads a score before each loan and
// reports what became of it. Killed or run again, it goes on where it was: all
// bodies and keys follow from the rows.

const ROOT = path.resolve(__dirname, '../../../..');
const CHUNK_SIZE = 100;
const CHUNKS_AT_ONCE = 3;
const CALLS_AT_ONCE = 16;
const PATIENCE_MS = 60_000;
const LAST_DELIVERIES_TIMEOUT_MS = 60_000;
const MAX_EVENTS = 500;

function slices<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/**
 * The two members, with keys. These requests have no keys of idempotency, so none is made again
 * when its answer is lost: it may have been done.
 */
async function enrolMembers(base_url: string, data_directory: string): Promise<DemoState> {
  const anonymous = new Client(base_url);
  const file = path.join(data_directory, 'superadmin.json');
  const superadmin = JSON.parse(readFileSync(file, 'utf8'));
  const administrator = await logIn(anonymous, superadmin.email, superadmin.password);
  const bank = await enrol(anonymous, administrator, 'Harbour Bank (demo)');
  const lender = await enrol(anonymous, administrator, 'Prairie Lending (demo)');
  // The port is kept, because the subscription names it.
  const probe = await startReceiver(data_directory);
  const port = Number(new URL(probe.url).port);
  await probe.stop();
  const webhook = await lender.key.create('/webhooks', {
    url: `https://127.0.0.1:${port}/defaults`,
    events: ['credit.default.reported'],
  });
  const state: DemoState = {
    first_day: new Date().toISOString().slice(0, 10),
    bank: { institution_id: bank.institution_id, secret: secretOf(bank.key) },
    lender: { institution_id: lender.institution_id, secret: secretOf(lender.key) },
    webhook: { id: webhook.id, secret: webhook.secret, port },
    scores: {},
    received: [],
  };
  writeState(data_directory, state);
  return state;
}

function secretOf(client: Client): string {
  if (client.token === undefined) throw new Error('A member has no key.');
  return client.token;
}

/** Reports one chunk of loans from borrower to outcome. */
class Chunk {
  /** Events that this run added (a replay adds none). */
  events = 0;

  constructor(
    private readonly bank: Client,
    private readonly lender: Client,
    private readonly state: DemoState,
    private readonly number: number,
    private readonly loans: readonly Loan[],
  ) {}

  async report(): Promise<void> {
    const { first_day } = this.state;
    const subjects = await inParallel(this.loans, CALLS_AT_ONCE, (loan) => this.subject(loan));
    const perLoan = this.loans.map((loan, index) => ({ loan, subject_id: subjects[index] ?? '' }));

    const file = perLoan.flatMap(({ loan, subject_id }) =>
      fileAccounts(loan, subject_id, first_day),
    );
    const fileIds = await this.accounts(this.bank, 'file', file);
    await this.reportEvents(
      this.bank,
      'file',
      this.loans.flatMap((loan) => fileEvents(loan, idOf(fileIds, `card-${loan.row}`), first_day)),
    );

    const unread = perLoan.filter(({ loan }) => this.state.scores[loan.row] === undefined);
    const scores = await inParallel(unread, CALLS_AT_ONCE, async ({ loan, subject_id }) => {
      for (const purpose of earlierInquiries(loan)) {
        await this.bank.create('/inquiries', { subject_id, purpose });
      }
      const profile = await this.lender.get(`/credit/${subject_id}?purpose=NEW_CREDIT_APPLICATION`);
      return { row: loan.row, score: profile.credit.score as number | null };
    });
    for (const { row, score } of scores) this.state.scores[row] = score;

    const loans = perLoan.map(({ loan, subject_id }) => loanAccount(loan, subject_id, first_day));
    const loanIds = await this.accounts(this.lender, 'loan', loans);
    await this.reportEvents(
      this.lender,
      'loan',
      this.loans.flatMap((loan) => loanEvents(loan, idOf(loanIds, `loan-${loan.row}`), first_day)),
    );
  }

  /** The borrower's id: made now, or there already. */
  private async subject(loan: Loan): Promise<string> {
    const answer = await this.bank.request('POST', '/subjects', { body: borrower(loan) });
    if (answer.status === 201) return answer.body.id;
    if (answer.status !== 409) throw new Error(`POST /subjects: ${answer.text}`);
    return (await this.bank.get(`/subjects/game/${borrowerUuid(loan.row)}`)).id;
  }

  private async accounts(
    member: Client,
    kind: string,
    accounts: readonly Json[],
  ): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for (const [part, some] of slices(accounts, 100).entries()) {
      const answer = await this.post(member, '/accounts/bulk', `${kind}-${part}`, {
        accounts: some,
      });
      for (const account of answer.body.accounts) {
        ids.set(account.external_account_id, account.id);
      }
    }
    return ids;
  }

  private async reportEvents(member: Client, kind: string, events: readonly Json[]): Promise<void> {
    for (const [part, some] of slices(events, MAX_EVENTS).entries()) {
      const answer = await this.post(member, '/events/bulk', `${kind}-${part}`, { events: some });
      if (!answer.headers.has('idempotent-replayed')) this.events += some.length;
    }
  }

  private async post(member: Client, where: string, key: string, body: Json) {
    const answer = await member.request('POST', where, {
      body,
      headers: { 'idempotency-key': `demo-${this.number}-${key}` },
    });
    if (answer.status !== 201) throw new Error(`POST ${where}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

function idOf(ids: ReadonlyMap<string, string>, external_account_id: string): string {
  const id = ids.get(external_account_id);
  if (id === undefined) throw new Error(`${external_account_id} was not opened.`);
  return id;
}

async function main(): Promise<void> {
  const settings = readSettings(process.env, ROOT);
  const base_url = `http://127.0.0.1:${settings.port}/api/v1`;
  const { file, loans } = findLoans(ROOT);
  const anonymous = new Client(base_url, undefined, { patience_ms: PATIENCE_MS });
  await fetch(`${base_url}/public/status`).catch(() => {
    throw new Error(`Nothing answers at ${base_url}: run "npm start" first.`);
  });
  const data_directory = settings.data_directory;
  const state = readState(data_directory) ?? (await enrolMembers(base_url, data_directory));

  const received = new Set(state.received);
  let unverified = 0;
  const receiver = await startReceiver(data_directory, {
    port: state.webhook.port,
    onReceived(delivery: Received) {
      if (verifies(delivery, state.webhook.secret)) {
        received.add(String(delivery.headers['svc-event-id']));
      } else {
        unverified += 1;
      }
    },
  });
  const keep = () => writeState(data_directory, { ...state, received: [...received] });

  const progress = new Progress(loans.length, 'loans');
  const started_ms = Date.now();
  let events = 0;
  const chunks = slices(loans, CHUNK_SIZE).map((some, number) => ({ some, number }));
  await inParallel(chunks, CHUNKS_AT_ONCE, async ({ some, number }) => {
    const chunk = new Chunk(
      anonymous.as(state.bank.secret),
      anonymous.as(state.lender.secret),
      state,
      number,
      some,
    );
    await chunk.report();
    events += chunk.events;
    keep();
    progress.add(some.length, `${received.size} notices`);
  });
  const elapsed_s = (Date.now() - started_ms) / 1000;

  const defaults = loans.filter((loan) => loan.bad).length;
  const until_ms = Date.now() + LAST_DELIVERIES_TIMEOUT_MS;
  while (received.size < defaults && Date.now() < until_ms) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await receiver.stop();
  keep();
  const deliveries = received.size;
  console.log(
    renderReport({
      file: path.relative(ROOT, file),
      loans,
      scores: state.scores,
      events,
      elapsed_s,
      deliveries,
      unverified,
    }),
  );
  if (deliveries !== defaults || unverified > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
