import { type Entry, type Held, type Intent, type Observed, requestId } from './journal';
import { INVARIANTS, type Invariant, judge } from './judge';
import { PERSON_PER_MINUTE } from './limits';
import { LATE_MS } from './rotations';

const SEED = 7;
const LENDER = 'lender';
const READER = 'reader';
const STRANGER = 'stranger';
const TYPE = 'credit.default.reported';
/** When the load is over and all is at rest. */
const AFTER_MS = 25_000;

/** A run in which everything went well, to be tampered with. */
class Run {
  entries: Entry[] = [];
  observed: Observed = {
    events: [
      {
        id: 'e1',
        reference: 'r1',
        receivers: [LENDER],
        notice: TYPE,
      },
      { id: 'e2', reference: 'r2' },
      { id: 'e3', reference: 'r3' },
      { id: 'e4', reference: 'r4' },
    ],
    accounts: [
      { id: 'a1', external_id: 'x1' },
      { id: 'a2', external_id: 'x2' },
      { id: 'a3', external_id: 'x3' },
    ],
    disputes: [{ id: 'd1', status: 'REJECTED' }],
    imports: [
      { id: 'i1', state: 'FINISHED', reported: 2, existing: 0, refused: 0, sha256: 'f1' },
      { id: 'i2', state: 'FINISHED', reported: 0, existing: 2, refused: 0, sha256: 'f1' },
    ],
    reports: [{ id: 'p1', status: 'READY', said_sha256: 'h1', sha256: 'h1' }],
    test_rows: 0,
    audit: [
      { action: 'account.created', target_id: 'a1', count: 1 },
      { action: 'dispute.opened', target_id: 'd1', count: 1 },
      { action: 'event.reported', target_id: 'e1', count: 1 },
      { action: 'event.reported', target_id: 'e4', count: 1 },
      // The second attempt carried it out.
      { action: 'events.reported', target_id: requestId(SEED, 4), count: 1 },
    ],
    unpublished: 0,
    dead_letters: 0,
    pending_deliveries: 0,
    leaks: [],
    commands: [
      { name: 'verify-record', exit_code: 0, output: 'live: 1 accounts, 4 events, 0 mismatches' },
      {
        name: 'reconcile --deep',
        exit_code: 0,
        output: 'live: 1 subjects, 0 mismatches, 0 mended',
      },
      { name: 'verify-audit', exit_code: 0, output: 'all of it is whole' },
    ],
  };
  private id = 0;

  constructor() {
    this.entries.push({
      t: 'run',
      seed: SEED,
      duration_ms: 20_000,
      topology: { postgres: 'single', nats: 'single' },
      faults: [],
    });
    this.entries.push({
      t: 'world',
      world: {
        hooks: {
          '/lender': { institution_id: LENDER, types: [TYPE] },
          '/reader': { institution_id: READER, types: [TYPE] },
          '/stranger': { institution_id: STRANGER, types: [TYPE] },
        },
        stranger_hook: '/stranger',
      },
    });
    this.ask({ kind: 'account', operation: 'open', references: ['x1'] }, 201, { id: 'a1' }, 'k1');
    this.ask({ kind: 'event', operation: 'report', references: ['r1'] }, 201, { id: 'e1' }, 'k2');
    const bulk: Intent = { kind: 'bulk', operation: 'bulk', references: ['r2', 'r3'] };
    this.ask(bulk, 0, 'ECONNRESET', 'k3');
    this.ask(bulk, 201, { events: [{ id: 'e2' }, { id: 'e3' }] }, 'k3');
    this.ask(bulk, 201, { events: [{ id: 'e2' }, { id: 'e3' }] }, 'k3');
    // Sent once: whether what nobody answered is there, nobody knows.
    const sole: Intent = { kind: 'event', operation: 'sole', references: ['r4'], once: true };
    this.ask(sole, 201, { id: 'e4' }, 'k4');
    const lost: Intent = { kind: 'event', operation: 'lost', references: ['r5'], once: true };
    this.ask(lost, 0, 'TimeoutError', 'k5');
    this.ask({ kind: 'dispute', operation: 'dispute' }, 201, { id: 'd1' });
    this.ask({ kind: 'decision', operation: 'decide' }, 200, { id: 'd1', status: 'REJECTED' });
    const book: Intent = {
      kind: 'import',
      operation: 'book',
      references: ['x2', 'x3'],
      sha256: 'f1',
    };
    this.ask(book, 0, 'ECONNRESET');
    this.ask(book, 202, { id: 'i2' });
    this.ask({ kind: 'report', operation: 'paper' }, 201, { id: 'p1' });
    this.ask({ kind: 'foreign', operation: 'foreign' }, 404, {});
    this.ask({ kind: 'register', operation: 'use', uses: 'key 1' }, 200, {});
    this.ask({ kind: 'register', operation: 'end', ends: 'key 1' }, 204, '');
    this.ask({ kind: 'register', operation: 'use again', uses: 'key 1' }, 401, {});
    this.ask({ kind: 'register', operation: 'freeze', ends: 'file 1' }, 201, {});
    this.ask({ kind: 'profile', operation: 'look', uses: 'file 1' }, 403, {});
    this.ask({ kind: 'register', operation: 'thaw', restores: 'file 1' }, 0, 'ECONNRESET');
    this.ask({ kind: 'register', operation: 'thaw', restores: 'file 1' }, 204, '');
    this.ask({ kind: 'profile', operation: 'look again', uses: 'file 1' }, 200, {});
    // Within a minute of the clock.
    this.entries.push({ t: 'clock', epoch_ms: 60_000 });
    for (let count = 0; count < PERSON_PER_MINUTE; count += 1) this.askLimited(200);
    this.askLimited(429);
    for (const at_ms of [0, AFTER_MS]) this.sample(at_ms, {});
    this.deliver({});
    this.entries.push({ t: 'rest', at_ms: 900, reached: true, what: 'nothing moves' });
  }

  ask(intent: Intent, status: number, body: unknown, key?: string): void {
    this.id += 1;
    const at_ms = this.id * 10;
    const { id } = this;
    this.entries.push({
      t: 'sent',
      id,
      at_ms,
      gateway: 0,
      method: 'POST',
      path: '/x',
      key,
      intent,
    });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.entries.push({ t: 'got', id, at_ms: at_ms + 5, status, text });
  }

  askLimited(status: number): void {
    this.ask({ kind: 'limited', operation: `limited ${this.id}` }, status, {});
  }

  sample(at_ms: number, held: Partial<Held>, connections = 20): void {
    const process = { name: 'reporting', pid: 1, memory_mb: 120, files: 40, ...held };
    this.entries.push({ t: 'sample', at_ms, processes: [process], connections });
  }

  deliver(overrides: Partial<Extract<Entry, { t: 'delivery' }>>): void {
    this.entries.push({
      t: 'delivery',
      at_ms: 500,
      hook: '/lender',
      event_id: 'w1',
      type: TYPE,
      credit_event_id: 'e1',
      verified: true,
      accepted: true,
      ...overrides,
    });
  }

  kindOf(id: number): string | undefined {
    const sent = this.entries.find((entry) => entry.t === 'sent' && entry.id === id);
    return sent?.t === 'sent' ? sent.intent.kind : undefined;
  }

  observe(overrides: Partial<Observed>): void {
    this.observed = { ...this.observed, ...overrides };
  }

  /** Changes entries of a kind in place. */
  change<T extends Entry['t']>(
    t: T,
    change: (entry: Extract<Entry, { t: T }>) => Entry | undefined,
  ): void {
    this.entries = this.entries.flatMap((entry) => {
      if (entry.t !== t) return [entry];
      const changed = change(entry as Extract<Entry, { t: T }>);
      return changed === undefined ? [] : [changed];
    });
  }

  broken(): Invariant[] {
    const findings = judge([...this.entries, { t: 'observed', observed: this.observed }]);
    return [...new Set(findings.map(({ invariant }) => invariant))];
  }
}

test('nothing is found where nothing is wrong', () => {
  expect(new Run().broken()).toEqual([]);
});

const command = (run: Run, name: string, change: { exit_code?: number; output?: string }) =>
  run.observe({
    commands: run.observed.commands.map((one) => (one.name === name ? { ...one, ...change } : one)),
  });

const answering = (run: Run, operation: string, status: number, text: string) => {
  const ids = new Set(
    run.entries.flatMap((entry) =>
      entry.t === 'sent' && entry.intent.operation === operation ? [entry.id] : [],
    ),
  );
  run.change('got', (entry) => (ids.has(entry.id) ? { ...entry, status, text } : entry));
};

/** A secret was changed meanwhile, from a time on at which all requests but the lost ones are over. */
const rotated = (run: Run, { ended = true, from_ms = 900 } = {}) => {
  const fault = { kind: 'rotate', what: 'database' } as const;
  run.change('run', (one) => ({ ...one, faults: [{ at_ms: 0, fault }] }));
  run.entries.push({ t: 'fault', at_ms: from_ms, number: 0, phase: 'begins' });
  if (ended) run.entries.push({ t: 'fault', at_ms: from_ms, number: 0, phase: 'ends' });
};

const importing = (run: Run, change: Partial<Observed['imports'][number]>) =>
  run.observe({
    imports: run.observed.imports.map((one) => (one.id === 'i2' ? { ...one, ...change } : one)),
  });

const reporting = (run: Run, change: Partial<Observed['reports'][number]>) =>
  run.observe({ reports: run.observed.reports.map((one) => ({ ...one, ...change })) });

const TAMPERINGS: [Invariant, string, (run: Run) => void][] = [
  [
    'at_rest',
    'the system goes on',
    (run) => run.change('rest', (one) => ({ ...one, reached: false })),
  ],
  [
    'acknowledged_once',
    'an event is lost',
    (run) => run.observe({ events: run.observed.events.filter(({ id }) => id !== 'e4') }),
  ],
  [
    'acknowledged_once',
    'an event has another id',
    (run) =>
      run.observe({
        events: run.observed.events.map((one) => (one.id === 'e4' ? { ...one, id: 'e9' } : one)),
      }),
  ],
  ['acknowledged_once', 'an account is lost', (run) => run.observe({ accounts: [] })],
  ['acknowledged_once', 'a dispute is lost', (run) => run.observe({ disputes: [] })],
  [
    'keyed_once',
    'an event without an answer is there twice',
    (run) =>
      run.observe({
        events: [
          ...run.observed.events,
          { id: 'e5', reference: 'r5' },
          { id: 'e6', reference: 'r5' },
        ],
      }),
  ],
  [
    'keyed_once',
    'an account is there twice',
    (run) => run.observe({ accounts: [...run.observed.accounts, { id: 'a9', external_id: 'x1' }] }),
  ],
  ['keyed_once', 'what was refused is there', (run) => answering(run, 'sole', 422, '{}')],
  ['keyed_once', 'a key is never answered', (run) => answering(run, 'report', 500, '{}')],
  [
    'replays_equal',
    'a replay says something else',
    (run) =>
      run.change('got', (entry) =>
        entry.id === 5 ? { ...entry, text: entry.text.replace('e2', 'e2 ') } : entry,
      ),
  ],
  [
    'replays_equal',
    'a replay is refused',
    (run) => run.change('got', (entry) => (entry.id === 5 ? { ...entry, status: 409 } : entry)),
  ],
  [
    'whole_batches',
    'half of a batch is there',
    (run) => run.observe({ events: run.observed.events.filter(({ id }) => id !== 'e3') }),
  ],
  ['record_folds', 'a balance differs', (run) => command(run, 'verify-record', { exit_code: 1 })],
  [
    'record_folds',
    'nobody looked',
    (run) => run.observe({ commands: run.observed.commands.slice(1) }),
  ],
  [
    'scores_agree',
    'a score was wrong until it was mended',
    (run) =>
      command(run, 'reconcile --deep', { output: 'live: 1 subjects, 1 mismatches, 1 mended' }),
  ],
  [
    'scores_agree',
    'a score stays wrong',
    (run) => command(run, 'reconcile --deep', { exit_code: 1 }),
  ],
  ['told_once', 'a delivery is lost', (run) => run.change('delivery', () => undefined)],
  [
    'told_once',
    'a delivery is never taken',
    (run) => run.change('delivery', (one) => ({ ...one, accepted: false })),
  ],
  ['told_once', 'an event is told under two ids', (run) => run.deliver({ event_id: 'w2' })],
  ['told_once', 'a signature does not verify', (run) => run.deliver({ verified: false })],
  ['told_once', 'somebody without a stake hears', (run) => run.deliver({ hook: '/reader' })],
  ['told_once', 'the stranger hears', (run) => run.deliver({ hook: '/stranger' })],
  ['told_once', 'nobody should hear of it', (run) => run.deliver({ credit_event_id: 'e4' })],
  [
    'told_once',
    'nobody is told of a notice',
    (run) =>
      run.observe({
        events: run.observed.events.map((one) =>
          one.id === 'e2' ? { ...one, notice: TYPE } : one,
        ),
      }),
  ],
  [
    'told_once',
    'an entitled subscription does not hear',
    (run) =>
      run.observe({
        events: run.observed.events.map((one) =>
          one.id === 'e1' ? { ...one, receivers: [LENDER, READER] } : one,
        ),
      }),
  ],
  [
    'audited_once',
    'an entry is missing',
    (run) => run.observe({ audit: run.observed.audit.slice(1) }),
  ],
  [
    'audited_once',
    'the entry of a dispute is missing',
    (run) =>
      run.observe({ audit: run.observed.audit.filter(({ target_id }) => target_id !== 'd1') }),
  ],
  [
    'audited_once',
    'an entry is there twice',
    (run) => run.observe({ audit: run.observed.audit.map((one) => ({ ...one, count: 2 })) }),
  ],
  [
    'audited_once',
    'a batch was carried out by both attempts',
    (run) =>
      run.observe({
        audit: [
          ...run.observed.audit,
          { action: 'events.reported', target_id: requestId(SEED, 3), count: 1 },
        ],
      }),
  ],
  ['audited_once', 'the chain is broken', (run) => command(run, 'verify-audit', { exit_code: 1 })],
  ['kept_apart', 'another is shown an account', (run) => answering(run, 'foreign', 200, '{}')],
  ['kept_apart', 'live data is in test', (run) => run.observe({ test_rows: 1 })],
  ['drained', 'an outbox is not empty', (run) => run.observe({ unpublished: 1 })],
  ['drained', 'an event was given up', (run) => run.observe({ dead_letters: 1 })],
  ['drained', 'a delivery waits', (run) => run.observe({ pending_deliveries: 1 })],
  ['ended_is_ended', 'a revoked key works', (run) => answering(run, 'use again', 200, '{}')],
  ['ended_is_ended', 'a frozen file is shown', (run) => answering(run, 'look', 200, '{}')],
  ['rotations_unnoticed', 'a secret is not changed', (run) => rotated(run, { ended: false })],
  ['rotations_unnoticed', 'a request fails meanwhile', (run) => rotated(run, { from_ms: 0 })],
  [
    'rotations_unnoticed',
    'a notice comes late',
    (run) => {
      rotated(run);
      run.change('delivery', (one) => ({ ...one, at_ms: one.at_ms + LATE_MS }));
    },
  ],
  [
    'whole_imports',
    'half of a file is there',
    (run) => run.observe({ accounts: run.observed.accounts.slice(0, 2) }),
  ],
  [
    'whole_imports',
    'a row is there twice',
    (run) => run.observe({ accounts: [...run.observed.accounts, { id: 'a4', external_id: 'x3' }] }),
  ],
  ['whole_imports', 'an import is lost', (run) => run.observe({ imports: [] })],
  ['whole_imports', 'an import does not end', (run) => importing(run, { state: 'APPLYING' })],
  ['whole_imports', 'an import counts wrongly', (run) => importing(run, { existing: 1 })],
  [
    'whole_imports',
    'rows are counted twice',
    (run) => importing(run, { reported: 2, existing: 0 }),
  ],
  ['true_reports', 'a report is lost', (run) => run.observe({ reports: [] })],
  ['true_reports', 'a report is not built', (run) => reporting(run, { status: 'PENDING' })],
  ['true_reports', 'a report is another', (run) => reporting(run, { sha256: 'h2' })],
  ['honoured', 'a good key is refused', (run) => answering(run, 'use', 401, '{}')],
  [
    'honoured',
    'a file that is open again is refused',
    (run) => answering(run, 'look again', 403, '{}'),
  ],
  ['honoured', 'a lender is refused', (run) => answering(run, 'sole', 401, '{}')],
  ['understood', 'nobody understands a request', (run) => answering(run, 'dispute', 422, '{}')],
  ['limits_exact', 'one more passes', (run) => run.askLimited(200)],
  [
    'limits_exact',
    'one is refused too early',
    (run) => {
      const first = run.entries.find(
        (entry) => entry.t === 'sent' && entry.intent.kind === 'limited',
      );
      run.entries = run.entries.filter((entry) => entry !== first);
    },
  ],
  [
    'no_secrets',
    'a token is in a log',
    (run) => run.observe({ leaks: [{ what: 'a token', where: 'the log' }] }),
  ],
  ['flat', 'memory is not given back', (run) => run.sample(AFTER_MS, { memory_mb: 300 })],
  [
    'flat',
    'more is kept than drawing may take',
    (run) => {
      run.sample(1, { name: 'scoring' });
      run.sample(AFTER_MS, { name: 'scoring', memory_mb: 700 });
    },
  ],
  ['flat', 'files stay open', (run) => run.sample(AFTER_MS, { files: 200 })],
  ['flat', 'connections stay open', (run) => run.sample(AFTER_MS, {}, 200)],
  ['flat', 'nobody looked', (run) => run.change('sample', () => undefined)],
  [
    'flat',
    'memory grows over a long run',
    (run) => {
      const duration_ms = 1_200_000;
      run.change('run', (one) => ({ ...one, duration_ms }));
      for (let at_ms = 0; at_ms <= duration_ms; at_ms += 10_000) {
        run.sample(at_ms, { memory_mb: 120 + at_ms / 4_000 });
      }
    },
  ],
  [
    'decided',
    'a decision is lost',
    (run) => run.observe({ disputes: [{ id: 'd1', status: 'UNDER_REVIEW' }] }),
  ],
];

test('memory that comes with work and goes with it is no leak', () => {
  const run = new Run();
  const duration_ms = 1_200_000;
  run.change('run', (one) => ({ ...one, duration_ms }));
  for (let at_ms = 0; at_ms <= duration_ms; at_ms += 10_000) {
    const is_late = at_ms >= duration_ms * 0.75 && at_ms < duration_ms;
    run.sample(at_ms, { memory_mb: is_late && at_ms % 30_000 > 0 ? 400 : 120 });
  }
  expect(run.broken()).toEqual([]);
});

test('scoring may keep what it draws in', () => {
  const run = new Run();
  run.sample(1, { name: 'scoring' });
  run.sample(AFTER_MS, { name: 'scoring', memory_mb: 500 });
  expect(run.broken()).toEqual([]);
});

test('a secret that is changed and noticed by nobody is fine', () => {
  const run = new Run();
  rotated(run);
  // Told again later: it was told in time.
  run.deliver({ at_ms: 2 * LATE_MS });
  expect(run.broken()).toEqual([]);
});

test.each(TAMPERINGS)('%s is broken when %s', (invariant, _what, tamper) => {
  const run = new Run();
  tamper(run);
  expect(run.broken()).toContain(invariant);
});

test('every invariant can be found broken', () => {
  expect(new Set(TAMPERINGS.map(([invariant]) => invariant))).toEqual(new Set(INVARIANTS));
});

test('a use that began before the end, or after something that may have brought it back, is fine', () => {
  const run = new Run();
  answering(run, 'use again', 200, '{}');
  run.change('sent', (entry) =>
    entry.intent.operation === 'use again' ? { ...entry, at_ms: 1 } : entry,
  );
  expect(run.broken()).toEqual([]);
});

test('what nobody answered may bring it back at any later time', () => {
  const run = new Run();
  run.change('sent', (entry) =>
    entry.intent.operation === 'thaw' ? { ...entry, at_ms: 1 } : entry,
  );
  answering(run, 'look', 200, '{}');
  expect(run.broken()).toEqual([]);
});

test('what nobody answered may have been counted, and what a server forgot may pass again', () => {
  const run = new Run();
  run.change('got', (entry) =>
    run.kindOf(entry.id) === 'limited' && entry.status === 200 && entry.id % 2 === 0
      ? { ...entry, status: 0, text: 'ECONNRESET' }
      : entry,
  );
  expect(run.broken()).not.toContain('limits_exact');
  const forgetful = new Run();
  const fault = { kind: 'postgres_kill' } as const;
  forgetful.change('run', (one) => ({ ...one, faults: [{ at_ms: 0, fault }] }));
  forgetful.entries.push({ t: 'fault', at_ms: 800, number: 0, phase: 'begins' });
  forgetful.askLimited(200);
  expect(forgetful.broken()).not.toContain('limits_exact');
});

test('half a journal is not judged', () => {
  expect(() => judge([])).toThrow('not that of a whole run');
});
