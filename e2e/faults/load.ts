import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Member } from '@credit/local/demo/client';
import { bookOf } from './jobs';
import { type Intent, type Journal, requestId } from './journal';
import { type Plan, type Step, stepsOf } from './plan';
import type { World } from './world';

const REQUEST_TIMEOUT_MS = 15_000;
/** A write with a key is sent again until it is known what became of it. */
const PATIENCE_MS = 90_000;
const RETRY_PAUSE_MS = { first: 150, longest: 1_500 };
const SESSION_MS = 240_000;
/** About half as many again as pass in a minute. */
const LIMITED_PAUSE_MS = 900;
/** A worker knows its latest: runs of any length stay small. */
const REMEMBERED = 60;

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of a body. */
  readonly file?: { readonly type: string; readonly text: string };
  readonly key?: string;
  readonly intent: Intent;
}

interface Got {
  readonly status: number;
  readonly body: Json;
}

interface Subject {
  readonly id: string;
  readonly lender: 0 | 1;
}

interface Account {
  readonly id: string;
  readonly subject: Subject;
  readonly lender: 0 | 1;
}

/**
 * Sends requests of all kinds until the run is over; what came of them is in the journal. Half of the
 * workers go out of their way where something waits for a step of some kind.
 */
export async function runLoad(
  plan: Plan,
  world: World,
  gateways: readonly string[],
  journal: Journal,
  { over, wayOf }: { over: AbortSignal; wayOf: () => Partial<Step> },
): Promise<void> {
  const workers = Array.from({ length: plan.workers }, (_, number) =>
    // The others go on with all that there is.
    new Worker(plan, number, world, gateways, journal).run(
      over,
      number % 2 === 0 ? wayOf : () => ({}),
    ),
  );
  const limited = new Worker(plan, plan.workers, world, gateways, journal).runLimited(over);
  await Promise.all([...workers, limited]);
}

class Worker {
  private readonly accounts: Account[] = [];
  private readonly events: { id: string; account: Account }[] = [];
  private readonly done: Sending[] = [];
  private operations = 0;

  constructor(
    private readonly plan: Plan,
    private readonly number: number,
    private readonly world: World,
    private readonly gateways: readonly string[],
    private readonly journal: Journal,
  ) {}

  async run(over: AbortSignal, wayOf: () => Partial<Step>): Promise<void> {
    for (const step of stepsOf(this.plan.seed, this.number)) {
      if (over.aborted || this.journal.now_ms() >= this.plan.duration_ms) return;
      await this.take({ ...step, ...wayOf() });
      await sleep(step.pause_ms);
    }
  }

  /** A person looks at its own file, over both gateways, more often than it may. */
  async runLimited(over: AbortSignal): Promise<void> {
    const isOver = () => over.aborted || this.journal.now_ms() >= this.plan.duration_ms;
    const step: Step = stepsOf(this.plan.seed, this.number).next().value;
    let account: Account | undefined;
    while (!isOver()) {
      account ??= await this.open(step, true);
      const token = account && (await this.enter(step, account));
      if (token === undefined) {
        await sleep(RETRY_PAUSE_MS.longest);
        continue;
      }
      // A session ends after a while.
      const until_ms = this.journal.now_ms() + SESSION_MS;
      for (let turn = 0; this.journal.now_ms() < until_ms && !isOver(); turn += 1) {
        await this.send((turn % 2) as 0 | 1, {
          method: 'GET',
          path: '/my/freeze',
          token,
          intent: { kind: 'limited', operation: this.newOperation() },
        });
        await sleep(LIMITED_PAUSE_MS);
      }
    }
  }

  private async take(step: Step): Promise<void> {
    const account = this.accounts[step.turn % Math.max(1, this.accounts.length)];
    if (account === undefined || step.kind === 'open') {
      await this.open(step);
      return;
    }
    switch (step.kind) {
      case 'event':
        return this.report(step, account, true);
      case 'event_once':
        return this.report(step, account, false);
      case 'bulk':
        return this.reportMany(step);
      case 'profile':
        return this.look(step, account);
      case 'again':
        return this.repeat(step);
      case 'dispute':
        return this.dispute(step);
      case 'contest':
        return this.contestNew(step);
      case 'freeze':
        return this.freeze(step, account);
      case 'revoke':
        return this.revoke(step);
      case 'foreign':
        return this.pry(step, account);
      case 'import':
        return this.importBook(step);
      case 'report':
        return this.orderReport(step, account);
      default:
        step.kind satisfies never;
    }
  }

  private lender(number: 0 | 1): Member {
    return this.world.lenders[number];
  }

  private newOperation(): string {
    this.operations += 1;
    return `${this.number}.${this.operations}`;
  }

  /** The account, where it could be opened. */
  private async open(step: Step, is_new_subject = false): Promise<Account | undefined> {
    const lender = this.lender(step.lender);
    // Every fourth account is of a subject that the other lender has one of.
    const shared = this.accounts.find((one) => one.lender !== step.lender)?.subject;
    let subject = step.turn % 4 === 0 && !is_new_subject ? shared : undefined;
    if (subject === undefined) {
      const made = await this.settle(step.gateway, {
        method: 'POST',
        path: '/subjects',
        token: lender.key.token,
        body: {
          type: 'INDIVIDUAL',
          game_uuid: randomUUID(),
          current_username: `player-${randomUUID().slice(0, 13)}`,
        },
        intent: { kind: 'other', operation: this.newOperation() },
      });
      if (made.status !== 201) return undefined;
      subject = { id: made.body.id, lender: step.lender };
    }
    const external_id = `loan-${randomUUID()}`;
    const opening: Sending = {
      method: 'POST',
      path: '/accounts',
      token: lender.key.token,
      key: randomUUID(),
      body: {
        subject_id: subject.id,
        external_account_id: external_id,
        account_type: 'TERM_LOAN',
        original_principal: 5_000,
        opened_at: new Date(Date.now() - 400 * 86_400_000).toISOString(),
      },
      intent: { kind: 'account', operation: this.newOperation(), references: [external_id] },
    };
    const opened = await this.settle(step.gateway, opening);
    if (opened.status !== 201) return undefined;
    const account = { id: opened.body.id, subject, lender: step.lender };
    this.remember(this.accounts, account);
    this.remember(this.done, opening);
    return account;
  }

  private eventOf(step: Step, reference: string, index = 0) {
    // Spread over the past year, the later ones later.
    const ago_ms = 1_000 + ((step.turn * 7_919 + index) % 300) * 86_400_000;
    return {
      event_type: step.event_type,
      occurred_at: new Date(Date.now() - ago_ms).toISOString(),
      ...(step.event_type === 'DEFAULT_REPORTED' ? {} : { amount: 25 + (step.turn % 100) }),
      source_reference: reference,
    };
  }

  private async report(step: Step, account: Account, until_known: boolean): Promise<void> {
    const reference = `ref-${randomUUID()}`;
    const sending: Sending = {
      method: 'POST',
      path: `/accounts/${account.id}/events`,
      token: this.lender(account.lender).key.token,
      key: randomUUID(),
      body: this.eventOf(step, reference),
      intent: {
        kind: 'event',
        operation: this.newOperation(),
        references: [reference],
        ...(until_known ? {} : { once: true }),
      },
    };
    const got = until_known
      ? await this.settle(step.gateway, sending)
      : await this.send(step.gateway, sending);
    if (got.status !== 201) return;
    this.remember(this.events, { id: got.body.id, account });
    if (until_known) this.remember(this.done, sending);
  }

  private async reportMany(step: Step): Promise<void> {
    const own = this.accounts.filter(({ lender }) => lender === step.lender);
    if (own.length === 0) return;
    const references = Array.from({ length: step.size }, () => `ref-${randomUUID()}`);
    const sending: Sending = {
      method: 'POST',
      path: '/events/bulk',
      token: this.lender(step.lender).key.token,
      key: randomUUID(),
      body: {
        events: references.map((reference, index) => ({
          credit_account_id: own[(step.turn + index) % own.length]?.id,
          ...this.eventOf({ ...step, event_type: 'PAYMENT_MADE' }, reference, index),
        })),
      },
      intent: { kind: 'bulk', operation: this.newOperation(), references },
    };
    const got = await this.settle(step.gateway, sending);
    if (got.status === 201) this.remember(this.done, sending);
  }

  private async look(step: Step, account: Account): Promise<void> {
    const is_application = step.turn % 3 === 0;
    const purpose = is_application ? 'NEW_CREDIT_APPLICATION' : 'ACCOUNT_REVIEW';
    const who = is_application ? this.world.reader : this.lender(account.lender);
    await this.send(step.gateway, {
      method: 'GET',
      path: `/credit/${account.subject.id}?purpose=${purpose}`,
      token: who.key.token,
      intent: {
        kind: 'profile',
        operation: this.newOperation(),
        ...(is_application ? { uses: `file ${account.subject.id}` } : {}),
      },
    });
  }

  /** The same request once more: it has to be answered as it was. */
  private async repeat(step: Step): Promise<void> {
    const sending = this.done[step.turn % Math.max(1, this.done.length)];
    if (sending !== undefined) await this.settle(step.gateway, sending);
  }

  private async dispute(step: Step): Promise<void> {
    const event = this.events[step.turn % Math.max(1, this.events.length)];
    if (event === undefined) return;
    const opened = await this.send(step.gateway, {
      method: 'POST',
      path: '/public/disputes',
      body: {
        credit_event_id: event.id,
        opened_by: `player-${this.number}`,
        reason: 'INCORRECT_BALANCE',
        description: 'It was less than that.',
      },
      intent: { kind: 'dispute', operation: this.newOperation() },
    });
    if (opened.status !== 201) return;
    await this.decide(step, opened.body.id);
  }

  /** For whoever contests, or against. */
  private async decide(step: Step, dispute_id: string): Promise<void> {
    const decide = (body: Json) =>
      this.settle(step.gateway, {
        method: 'PATCH',
        path: `/admin/disputes/${dispute_id}`,
        token: this.world.administrator.token,
        body,
        intent: { kind: 'decision', operation: this.newOperation() },
      });
    await decide({ status: 'UNDER_REVIEW' });
    await sleep(300);
    const status = step.turn % 2 === 0 ? 'RESOLVED_CORRECTED' : 'REJECTED';
    await decide({ status, resolution: 'The ledger shows what was reported.' });
  }

  /** A person says that a record is not its own: it is left out until that is decided. */
  private async contest(step: Step, account: Account, token: string): Promise<void> {
    const event = this.events.find((one) => one.account.subject.id === account.subject.id);
    if (event === undefined) return;
    const opened = await this.settle(step.gateway, {
      method: 'POST',
      path: '/my/disputes',
      token,
      key: randomUUID(),
      body: {
        credit_event_id: event.id,
        reason: 'IDENTITY_THEFT',
        description: 'It was never me who owed that.',
      },
      intent: { kind: 'dispute', operation: this.newOperation() },
    });
    if (opened.status === 201) await this.decide(step, opened.body.id);
  }

  /** A file of accounts; one that nobody has answered for is sent again, which repeats nothing. */
  private async importBook(step: Step): Promise<void> {
    const own = this.accounts.filter(({ lender }) => lender === step.lender);
    if (own.length === 0) return;
    const subject_ids = [...new Set(own.map(({ subject }) => subject.id))];
    const { references, sha256, text } = bookOf(subject_ids, 120 + (step.turn % 100));
    await this.settle(step.gateway, {
      method: 'POST',
      path: '/imports?kind=ACCOUNTS',
      token: this.lender(step.lender).key.token,
      file: { type: 'text/csv', text },
      intent: { kind: 'import', operation: this.newOperation(), references, sha256 },
    });
  }

  private async orderReport(step: Step, account: Account): Promise<void> {
    await this.settle(step.gateway, {
      method: 'POST',
      path: '/reports',
      token: this.lender(account.lender).key.token,
      body: {
        subject_id: account.subject.id,
        report_type: step.turn % 2 === 0 ? 'FULL' : 'SUMMARY',
        format: (['JSON', 'CSV', 'PDF'] as const)[step.turn % 3],
        purpose: 'ACCOUNT_REVIEW',
      },
      intent: { kind: 'report', operation: this.newOperation() },
    });
  }

  /** A person's way to its own file. */
  private async enter(step: Step, { lender, subject }: Account): Promise<string | undefined> {
    const intent = () => ({ kind: 'register', operation: this.newOperation() }) as const;
    const link = await this.send(step.gateway, {
      method: 'POST',
      path: `/subjects/${subject.id}/access-links`,
      token: this.lender(lender).key.token,
      intent: intent(),
    });
    if (link.status !== 201) return undefined;
    const begun = await this.send(step.gateway, {
      method: 'POST',
      path: '/my/session',
      body: { token: link.body.token },
      intent: intent(),
    });
    return begun.status === 201 ? begun.body.access_token : undefined;
  }

  /** Somebody who was never heard of before: nothing that this person has said before stands in the way. */
  private async contestNew(step: Step): Promise<void> {
    const account = await this.open(step, true);
    if (account === undefined) return;
    await this.report(step, account, true);
    const token = await this.enter(step, account);
    if (token !== undefined) await this.contest(step, account, token);
  }

  /** A person freezes its file; nobody sees it for new business until it is opened again. */
  private async freeze(step: Step, account: Account): Promise<void> {
    const file = `file ${account.subject.id}`;
    const other = (1 - step.gateway) as 0 | 1;
    const token = await this.enter(step, account);
    if (token === undefined) return;
    const session = `session ${this.newOperation()}`;
    const say = (sending: Omit<Sending, 'intent'>, register: Omit<Intent, 'kind' | 'operation'>) =>
      this.send(step.gateway, {
        ...sending,
        intent: { kind: 'register', operation: this.newOperation(), ...register },
      });
    await say({ method: 'POST', path: '/my/freeze', token }, { ends: file });
    await this.look({ ...step, gateway: other, turn: 0 }, account);
    await this.look({ ...step, turn: 0 }, account);
    // Until it is known to be open again: else the rest of the run would look at a frozen file.
    await this.settle(step.gateway, {
      method: 'DELETE',
      path: '/my/freeze',
      token,
      intent: { kind: 'register', operation: this.newOperation(), restores: file },
    });
    await this.contest(step, account, token);
    await say({ method: 'DELETE', path: '/my/session', token }, { ends: session });
    await this.send(other, {
      method: 'GET',
      path: '/my/freeze',
      token,
      intent: { kind: 'register', operation: this.newOperation(), uses: session },
    });
  }

  private async revoke(step: Step): Promise<void> {
    const { owner } = this.lender(step.lender);
    const made = await this.send(step.gateway, {
      method: 'POST',
      path: '/api-keys',
      token: owner.token,
      body: { display_name: 'short', scopes: ['credit:read'], environment: 'live' },
      intent: { kind: 'register', operation: this.newOperation() },
    });
    if (made.status !== 201) return;
    const key = `key ${made.body.id}`;
    const use = (gateway: 0 | 1) =>
      this.send(gateway, {
        method: 'GET',
        path: '/auth/me',
        token: made.body.secret,
        intent: { kind: 'register', operation: this.newOperation(), uses: key },
      });
    const other = (1 - step.gateway) as 0 | 1;
    await Promise.all([use(step.gateway), use(other)]);
    await this.send(step.gateway, {
      method: 'DELETE',
      path: `/api-keys/${made.body.id}`,
      token: owner.token,
      intent: { kind: 'register', operation: this.newOperation(), ends: key },
    });
    await Promise.all([use(other), use(step.gateway), use(other)]);
  }

  /** What is another's, or of the other environment. */
  private async pry(step: Step, account: Account): Promise<void> {
    const other = (1 - account.lender) as 0 | 1;
    for (const token of [this.world.test_keys[account.lender], this.lender(other).key.token]) {
      await this.send(step.gateway, {
        method: 'GET',
        path: `/accounts/${account.id}`,
        token,
        intent: { kind: 'foreign', operation: this.newOperation() },
      });
    }
  }

  /** Sends it, by turns to both gateways, until there is an answer that says what became of it. */
  private async settle(gateway: 0 | 1, sending: Sending): Promise<Got> {
    const until_ms = Date.now() + PATIENCE_MS;
    for (let tries = 0; ; tries += 1) {
      const got = await this.send(((gateway + tries) % 2) as 0 | 1, sending);
      const is_known = got.status !== 0 && got.status !== 429 && got.status < 500;
      if (is_known || Date.now() > until_ms) return got;
      await sleep(Math.min(RETRY_PAUSE_MS.longest, RETRY_PAUSE_MS.first * 2 ** tries));
    }
  }

  private async send(gateway: 0 | 1, sending: Sending): Promise<Got> {
    const { method, path, token, body, file, key, intent } = sending;
    const id = this.journal.newId();
    this.journal.write({
      t: 'sent',
      id,
      at_ms: this.journal.now_ms(),
      gateway,
      method,
      path,
      key,
      intent,
    });
    const end = (status: number, text: string) =>
      this.journal.write({ t: 'got', id, at_ms: this.journal.now_ms(), status, text });
    try {
      const response = await fetch(`${this.gateways[gateway]}${path}`, {
        method,
        headers: {
          'x-request-id': requestId(this.plan.seed, id),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(file === undefined ? {} : { 'content-type': file.type }),
        },
        body: file?.text ?? (body === undefined ? null : JSON.stringify(body)),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      // The journal has no secrets.
      end(response.status, kept(intent, this.world.secrets.takeFrom(text)));
      return { status: response.status, body: response.ok && text !== '' ? JSON.parse(text) : {} };
    } catch (error) {
      const { cause, name } = error as { cause?: { code?: string }; name: string };
      end(0, cause?.code ?? name);
      return { status: 0, body: {} };
    }
  }

  private remember<T>(list: T[], item: T): void {
    list.push(item);
    if (list.length > REMEMBERED) list.shift();
  }
}

/** Of what nothing is concluded from the journal has the beginning. */
function kept({ kind }: Intent, text: string): string {
  return kind === 'register' || kind === 'profile' ? text.slice(0, 300) : text;
}
