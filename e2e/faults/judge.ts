import type { Case, Exchange } from './case';
import { flatProblems } from './flat';
import { JOB_CHECKS } from './jobs';
import { type Entry, type Observed, requestId } from './journal';
import { limitProblems } from './limits';
import { rotationProblems } from './rotations';

export const INVARIANTS = [
  'at_rest',
  'acknowledged_once',
  'keyed_once',
  'replays_equal',
  'whole_batches',
  'record_folds',
  'scores_agree',
  'told_once',
  'audited_once',
  'kept_apart',
  'drained',
  'ended_is_ended',
  'rotations_unnoticed',
  'whole_imports',
  'true_reports',
  'decided',
  'honoured',
  'understood',
  'limits_exact',
  'no_secrets',
  'flat',
] as const;
export type Invariant = (typeof INVARIANTS)[number];

/** What is wrong, in a sentence. */
export interface Finding {
  readonly invariant: Invariant;
  readonly problem: string;
}

/** Judges a run by its journal alone. */
export function judge(entries: readonly Entry[]): Finding[] {
  const run = readCase(entries);
  return INVARIANTS.flatMap((invariant) =>
    [...CHECKS[invariant](run)].map((problem) => ({ invariant, problem })),
  );
}

function readCase(entries: readonly Entry[]): Case {
  const only = <T extends Entry['t']>(t: T) =>
    entries.filter((entry): entry is Extract<Entry, { t: T }> => entry.t === t);
  const [run] = only('run');
  const [world] = only('world');
  const [rest] = only('rest');
  const [observed] = only('observed');
  if (run === undefined || world === undefined || rest === undefined || observed === undefined) {
    throw new Error('The journal is not that of a whole run.');
  }
  const answers = new Map(only('got').map((got) => [got.id, got]));
  const exchanges = only('sent').map(({ id, at_ms, key, path, intent }): Exchange => {
    const got = answers.get(id);
    return {
      id,
      sent_ms: at_ms,
      got_ms: got?.at_ms ?? Number.POSITIVE_INFINITY,
      key,
      path,
      intent,
      status: got?.status ?? 0,
      text: got?.text ?? '',
    };
  });
  return {
    entries,
    seed: run.seed,
    exchanges,
    operations: Map.groupBy(exchanges, ({ intent }) => intent.operation),
    world: world.world,
    deliveries: only('delivery'),
    rest,
    observed: observed.observed,
  };
}

const isDone = ({ status }: Exchange) => status >= 200 && status < 300;
/** Whether the answer says that nothing was done. */
const isRefused = ({ status }: Exchange) => status >= 400 && status < 500 && status !== 429;

function bodyOf<Body>({ text }: Exchange): Body {
  return JSON.parse(text) as Body;
}

const PUBLIC_DISPUTES = '/public/disputes';

/** The action of the entry about what was made. */
const AUDITED_AS = {
  account: 'account.created',
  dispute: 'dispute.opened',
  event: 'event.reported',
} as const;

type Check = (run: Case) => Iterable<string>;

/** When the last effect is over of what was asked: nobody knows when what nobody answered takes effect. */
const settled_ms = (one: Exchange) => (isDone(one) || isRefused(one) ? one.got_ms : Infinity);

/** What a register says of something, from the first word to the last. */
const named = (exchanges: readonly Exchange[], name: 'ends' | 'restores' | 'uses') =>
  Map.groupBy(
    exchanges.filter(({ intent }) => intent[name] !== undefined),
    ({ intent }) => intent[name] ?? '',
  );

const CHECKS: Readonly<Record<Invariant, Check>> = {
  ...JOB_CHECKS,

  *at_rest({ rest }) {
    if (!rest.reached) yield `It never came to rest: ${rest.what}.`;
  },

  /** What was answered with 201 is there, once, under the id of the answer. */
  *acknowledged_once({ operations, observed }) {
    const events = Map.groupBy(observed.events, ({ reference }) => reference ?? '');
    const accounts = Map.groupBy(observed.accounts, ({ external_id }) => external_id);
    const disputes = Map.groupBy(observed.disputes, ({ id }) => id);
    for (const attempts of operations.values()) {
      const answer = attempts.find(isDone);
      if (answer === undefined) continue;
      const { kind, references = [] } = answer.intent;
      if (kind === 'account' || kind === 'event') {
        const found = (kind === 'account' ? accounts : events).get(references[0] ?? '') ?? [];
        const { id } = bodyOf<{ id: string }>(answer);
        if (found.length !== 1 || found[0]?.id !== id) {
          yield `${kind} ${id} was acknowledged and is there ${found.length} times.`;
        }
      } else if (kind === 'bulk') {
        const ids = bodyOf<{ events: { id: string }[] }>(answer).events.map(({ id }) => id);
        for (const [index, reference] of references.entries()) {
          const found = events.get(reference) ?? [];
          if (found.length !== 1 || found[0]?.id !== ids[index]) {
            yield `event ${ids[index]} of a batch was acknowledged and is there ${found.length} times.`;
          }
        }
      } else if (kind === 'dispute') {
        const { id } = bodyOf<{ id: string }>(answer);
        const found = disputes.get(id) ?? [];
        if (found.length !== 1)
          yield `dispute ${id} was acknowledged and is there ${found.length} times.`;
      }
    }
  },

  /** Whatever an answer said or did not say: nothing is there twice, nothing refused is there, and each key is answered. */
  *keyed_once({ operations, observed }) {
    const there = Map.groupBy(
      [
        ...observed.events.map(({ reference }) => reference ?? ''),
        ...observed.accounts.map(({ external_id }) => external_id),
      ],
      (name) => name,
    );
    for (const [operation, attempts] of operations) {
      const [first] = attempts;
      if (first?.key === undefined) continue;
      const { intent } = first;
      for (const reference of intent.references ?? []) {
        const count = there.get(reference)?.length ?? 0;
        if (count > 1) yield `${reference} was reported once and is there ${count} times.`;
        if (count > 0 && attempts.every(isRefused)) yield `${reference} was refused and is there.`;
      }
      if (intent.once !== true && !attempts.some((one) => isDone(one) || isRefused(one))) {
        yield `operation ${operation} was repeated with its key and never answered.`;
      }
    }
  },

  *replays_equal({ operations }) {
    for (const [operation, attempts] of operations) {
      if (attempts[0]?.key === undefined) continue;
      const texts = new Set(attempts.filter(isDone).map(({ text }) => text));
      if (texts.size > 1) yield `operation ${operation} was answered in ${texts.size} ways.`;
      if (texts.size > 0) {
        const done_ms = Math.min(...attempts.filter(isDone).map(({ got_ms }) => got_ms));
        const later = attempts.find((one) => one.sent_ms > done_ms && isRefused(one));
        if (later !== undefined) {
          yield `operation ${operation} was done and then refused with ${later.status}.`;
        }
      }
    }
  },

  *whole_batches({ operations, observed }) {
    const there = new Set(observed.events.map(({ reference }) => reference));
    for (const [operation, [first]] of operations) {
      if (first?.intent.kind !== 'bulk') continue;
      const { references = [] } = first.intent;
      const count = references.filter((reference) => there.has(reference)).length;
      if (count !== 0 && count !== references.length) {
        yield `of batch ${operation} ${count} of ${references.length} events are there.`;
      }
    }
  },

  *record_folds({ observed }) {
    yield* failed(observed, 'verify-record');
  },

  *scores_agree({ observed }) {
    yield* failed(observed, 'reconcile --deep');
    const { output = '' } = commandOf(observed, 'reconcile --deep') ?? {};
    const totals = [...output.matchAll(/: \d+ subjects, (\d+) mismatches/g)];
    if (totals.length === 0) yield 'reconcile did not say what it found.';
    for (const [line, mismatches] of totals) {
      if (mismatches !== '0') yield `scores were not what the record makes of them${line}.`;
    }
  },

  /** Whom the record says it told was told, under one event, and nobody else was. */
  *told_once({ observed, deliveries, world }) {
    const by_event = Map.groupBy(deliveries, ({ credit_event_id }) => credit_event_id ?? '');
    const told = new Set<string>();
    for (const { id, receivers, notice } of observed.events) {
      if (!receivers) {
        if (notice) yield `nobody was told of ${notice} ${id}.`;
        continue;
      }
      told.add(id);
      const came = by_event.get(id) ?? [];
      const names = new Set(came.map(({ type, event_id }) => `${type} ${event_id}`));
      const types = new Set(came.map(({ type }) => type));
      if (names.size !== types.size) yield `event ${id} was told under ${names.size} ids.`;
      for (const [hook, { institution_id, types: wanted }] of Object.entries(world.hooks)) {
        const here = came.filter((one) => one.hook === hook);
        const has_stake = receivers.includes(institution_id);
        if (!has_stake && here.length > 0) yield `${hook} heard of ${id}.`;
        const is_due = has_stake && wanted.includes(notice ?? '');
        if (is_due && !here.some((one) => one.type === notice && one.accepted)) {
          yield `${hook} did not hear of ${notice} ${id}.`;
        }
      }
    }
    for (const { hook, credit_event_id, event_id, verified } of deliveries) {
      if (!verified) yield `${hook} got ${event_id} with a signature that does not verify.`;
      if (hook === world.stranger_hook) yield `the stranger heard of ${credit_event_id}.`;
      else if (!told.has(credit_event_id ?? '')) {
        yield `${hook} heard of ${credit_event_id}, of which nobody is told.`;
      }
    }
  },

  *audited_once({ seed, operations, observed }) {
    yield* failed(observed, 'verify-audit');
    const counts = new Map(
      observed.audit.map(({ action, target_id, count }) => [`${action} ${target_id}`, count]),
    );
    for (const attempts of operations.values()) {
      const answer = attempts.find(isDone);
      if (answer === undefined) continue;
      const { kind } = answer.intent;
      let count: number;
      let what: string;
      if (kind === 'bulk') {
        // By the request that carried it out, which is one of the attempts.
        what = `events.reported of ${answer.intent.operation}`;
        count = attempts
          .map(({ id }) => counts.get(`events.reported ${requestId(seed, id)}`) ?? 0)
          .reduce((sum, one) => sum + one, 0);
      } else if (kind === 'account' || kind === 'event' || kind === 'dispute') {
        // What anybody may contest is in the log once it is decided.
        if (answer.path === PUBLIC_DISPUTES) continue;
        const action = AUDITED_AS[kind];
        what = `${action} ${bodyOf<{ id: string }>(answer).id}`;
        count = counts.get(what) ?? 0;
      } else continue;
      if (count !== 1) yield `${what} is in the audit log ${count} times.`;
    }
  },

  *kept_apart({ exchanges, observed }) {
    for (const one of exchanges) {
      if (one.intent.kind === 'foreign' && isDone(one)) yield `${one.path} was shown to others.`;
    }
    if (observed.test_rows > 0) yield `${observed.test_rows} rows are in the test environment.`;
  },

  *drained({ observed }) {
    if (observed.unpublished > 0) yield `${observed.unpublished} events are not published.`;
    if (observed.dead_letters > 0) yield `${observed.dead_letters} events were given up.`;
    if (observed.pending_deliveries > 0) {
      yield `${observed.pending_deliveries} deliveries are not sent.`;
    }
  },

  /** A register over both gateways: what was sent after the answer that ended it cannot succeed. */
  *ended_is_ended({ exchanges }) {
    const ends = named(exchanges, 'ends');
    const restores = named(exchanges, 'restores');
    for (const [what, uses] of named(exchanges, 'uses')) {
      for (const use of uses.filter(isDone)) {
        const ended = (ends.get(what) ?? []).find(
          (end) =>
            isDone(end) &&
            end.got_ms < use.sent_ms &&
            !(restores.get(what) ?? []).some(
              (back) => settled_ms(back) > end.sent_ms && back.sent_ms < use.got_ms,
            ),
        );
        if (ended !== undefined) {
          yield `${what} had ended at ${ended.got_ms} ms and was used at ${use.sent_ms} ms.`;
        }
      }
    }
  },

  /** What the load asks can be carried out: else it would try nothing, and look as if all went well. */
  *understood({ exchanges }) {
    for (const { id, path, status } of exchanges) {
      if (status === 400 || status === 422)
        yield `request ${id} of ${path} was refused with ${status}.`;
    }
  },

  *limits_exact(run) {
    yield* limitProblems(run);
  },

  /** No secret stands in clear anywhere, and no name of a person where only operators look. */
  *no_secrets({ observed }) {
    for (const { what, where } of observed.leaks) yield `${what} stands in ${where}.`;
  },

  *flat({ entries }) {
    yield* flatProblems(entries);
  },

  *rotations_unnoticed({ entries }) {
    yield* rotationProblems(entries);
  },

  /** A credential that nobody has ended, and a file that nobody has frozen or that is open again, are not refused. */
  *honoured({ exchanges }) {
    const ends = named(exchanges, 'ends');
    const restores = named(exchanges, 'restores');
    for (const { got_ms, id, intent, path, sent_ms, status } of exchanges) {
      if (status !== 401 && !(status === 403 && intent.uses !== undefined)) continue;
      const what = intent.uses ?? '';
      const isOver = (end: Exchange) =>
        (restores.get(what) ?? []).some(
          (back) => isDone(back) && back.sent_ms > settled_ms(end) && back.got_ms < sent_ms,
        );
      const ending = ends.get(what) ?? [];
      if (ending.some((end) => end.sent_ms < got_ms && !isRefused(end) && !isOver(end))) continue;
      yield `request ${id} of ${path} was refused with ${status} for no reason.`;
    }
  },
};

function commandOf(observed: Observed, name: string) {
  return observed.commands.find((command) => command.name === name);
}

function* failed(observed: Observed, name: string): Iterable<string> {
  const command = commandOf(observed, name);
  if (command === undefined) yield `${name} was not run.`;
  else if (command.exit_code !== 0)
    yield `${name} ended with ${command.exit_code}: ${command.output}`;
}
