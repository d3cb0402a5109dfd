import fc from 'fast-check';
import { type LifeEvent, type LifeEventType, live } from '../../research/simulation/timeline';
import {
  type AccountFacts,
  calculateProfile,
  calculateScore,
  canonicalInput,
  isRevolving,
  type ModelInput,
  monthOfDay,
} from '../../src/domain/model';
import {
  AS_OF_DAY,
  inputOf,
  inquiry,
  life,
  lived,
  replaceLife,
  type Subject,
  subject,
  withEvent,
} from './arbitraries';

const RUNS = { numRuns: Number(process.env['LAW_RUNS'] ?? 1000) };

/** No event that is older than this can be reported. */
const OLDEST_REPORTED_DAYS = 2555;

const which = fc.nat({ max: 4 });
const fraction = fc.integer({ min: 0, max: 1000 });

function pick(subject: Subject, index: number): number {
  return index % subject.lives.length;
}

/** A day between two others, both included. */
function between(from_day: number, to_day: number, per_mille: number): number {
  return from_day + Math.floor(((to_day - from_day) * per_mille) / 1000);
}

function scoreOf(input: ModelInput): number | undefined {
  return calculateScore(input).score;
}

function expectNotHigher(after: number | undefined, before: number | undefined): void {
  if (after !== undefined && before !== undefined) expect(after).toBeLessThanOrEqual(before);
}

function expectNotLower(after: number | undefined, before: number | undefined): void {
  if (after !== undefined && before !== undefined) expect(after).toBeGreaterThanOrEqual(before);
}

function changeAccount(
  input: ModelInput,
  index: number,
  change: (account: AccountFacts) => AccountFacts,
): ModelInput {
  const at = index % input.accounts.length;
  return {
    ...input,
    accounts: input.accounts.map((account, place) => (place === at ? change(account) : account)),
  };
}

/** Tries one more event somewhere in a life; where the standing forbids it there is nothing to show. */
function lawOfOneMore(
  types: readonly LifeEventType[],
  law: (after: number | undefined, before: number | undefined) => void,
): void {
  const kinds = fc.constantFrom(...types);
  const severity = fc.constantFrom('MINOR', 'MODERATE', 'SEVERE', 'CRITICAL' as const);
  let tried = 0;
  fc.assert(
    fc.property(subject, which, kinds, fraction, severity, (before, index, type, at, severity) => {
      const chosen = pick(before, index);
      const one = before.lives[chosen];
      if (one === undefined) return;
      const first = Math.max(one.opened_day, AS_OF_DAY - OLDEST_REPORTED_DAYS);
      const day = between(first, AS_OF_DAY, at);
      const changed = withEvent(one, { type, day, severity });
      if (live(changed) === undefined) return;
      tried += 1;
      law(scoreOf(inputOf(replaceLife(before, chosen, changed))), scoreOf(inputOf(before)));
    }),
    RUNS,
  );
  expect(tried).toBeGreaterThan(RUNS.numRuns / 20);
}

describe('more trouble never raises the score', () => {
  test('a late payment, wherever it falls', () => {
    lawOfOneMore(['PAYMENT_LATE'], expectNotHigher);
  });

  test.each([
    'DELINQUENCY_STARTED',
    'DEFAULT_REPORTED',
    'ACCOUNT_RESTRUCTURED',
    'ACCOUNT_WRITTEN_OFF',
  ] as const)('%s, wherever it falls', (type) => {
    lawOfOneMore([type], expectNotHigher);
  });

  test('an inquiry', () => {
    fc.assert(
      fc.property(subject, inquiry, (before, more) => {
        const after = { ...before, inquiries: [...before.inquiries, more] };
        expectNotHigher(scoreOf(inputOf(after)), scoreOf(inputOf(before)));
      }),
      RUNS,
    );
  });

  test('an episode of any shape', () => {
    // It begins with its first step: a step before its beginning would be its beginning.
    const day = fc.integer({ min: 0, max: OLDEST_REPORTED_DAYS }).map((age) => AS_OF_DAY - age);
    const maybe = fc.option(day, { nil: undefined });
    const episode = fc
      .record({
        started_day: day,
        ended_day: maybe,
        past_due_since_day: maybe,
        delinquency_started_day: maybe,
        restructured_day: maybe,
        defaulted_day: maybe,
        default_severity: fc.constantFrom('MINOR', 'MODERATE', 'SEVERE', 'CRITICAL', undefined),
        default_cured_day: fc.constant(undefined),
        written_off_day: maybe,
      })
      .map((shape) => ({
        ...shape,
        started_day: Math.min(
          shape.started_day,
          ...[
            shape.past_due_since_day,
            shape.delinquency_started_day,
            shape.restructured_day,
            shape.defaulted_day,
            shape.written_off_day,
          ].filter((day) => day !== undefined),
        ),
      }));
    fc.assert(
      fc.property(subject, which, episode, (before, index, more) => {
        const input = inputOf(before);
        const after = changeAccount(input, index, (account) => ({
          ...account,
          episodes: [...account.episodes, more],
        }));
        expectNotHigher(scoreOf(after), scoreOf(input));
      }),
      RUNS,
    );
  });
});

describe('what mends a file never lowers the score', () => {
  const ADVERSE: ReadonlySet<LifeEventType> = new Set([
    'PAYMENT_LATE',
    'DELINQUENCY_STARTED',
    'DEFAULT_REPORTED',
    'ACCOUNT_RESTRUCTURED',
    'ACCOUNT_WRITTEN_OFF',
  ]);

  function lawOfMending(types: readonly LifeEventType[]): void {
    let tried = 0;
    fc.assert(
      fc.property(
        subject,
        which,
        fc.constantFrom(...types),
        fraction,
        (before, index, type, at) => {
          const chosen = pick(before, index);
          const one = before.lives[chosen];
          if (one === undefined) return;
          // Trouble after a cure is new trouble, so a cure has its place behind what it cures.
          const last_adverse = one.events.reduce(
            (last, event) => (ADVERSE.has(event.type) ? Math.max(last, event.day) : last),
            Math.max(one.opened_day, AS_OF_DAY - OLDEST_REPORTED_DAYS),
          );
          const mending: LifeEvent = { type, day: between(last_adverse, AS_OF_DAY, at) };
          const changed = withEvent(one, mending);
          if (live(changed) === undefined) return;
          tried += 1;
          expectNotLower(
            scoreOf(inputOf(replaceLife(before, chosen, changed))),
            scoreOf(inputOf(before)),
          );
        },
      ),
      RUNS,
    );
    expect(tried).toBeGreaterThan(RUNS.numRuns / 50);
  }

  test('a cure', () => lawOfMending(['ACCOUNT_CURRENT', 'DELINQUENCY_CURED', 'DEFAULT_CURED']));
  test('paying off', () => lawOfMending(['ACCOUNT_PAID']));
  test('a payment', () => lawOfMending(['PAYMENT_MADE']));
  test('a dispute', () => lawOfMending(['DISPUTE_OPENED']));

  test('a lower balance', () => {
    fc.assert(
      fc.property(subject, which, fraction, (before, index, keep) => {
        const input = inputOf(before);
        const after = changeAccount(input, index, (account) => ({
          ...account,
          balance_minor: (account.balance_minor * BigInt(keep)) / 1000n,
        }));
        expectNotLower(scoreOf(after), scoreOf(input));
      }),
      RUNS,
    );
  });

  test('a higher limit', () => {
    const more = fc.oneof(
      fc.bigInt({ min: 0n, max: 1_000_000n }),
      fc.bigInt({ min: 0n, max: 99_999_999_999_999n }),
    );
    fc.assert(
      fc.property(subject, which, more, (before, index, more) => {
        const input = inputOf(before);
        const after = changeAccount(input, index, (account) => ({
          ...account,
          credit_limit_minor:
            (account.credit_limit_minor ?? account.original_principal_minor) + more,
        }));
        expectNotLower(scoreOf(after), scoreOf(input));
      }),
      RUNS,
    );
  });
});

describe('what was closed or opened changes no more than it should', () => {
  test('closing a paid line costs at most what its limit was worth', () => {
    let tried = 0;
    fc.assert(
      fc.property(subject, which, (before, index) => {
        const chosen = pick(before, index);
        const one = before.lives[chosen];
        if (one === undefined) return;
        const paid = withEvent(one, { type: 'BALANCE_UPDATED', day: AS_OF_DAY, amount_minor: 0n });
        const closed = withEvent(paid, { type: 'ACCOUNT_CLOSED', day: AS_OF_DAY });
        if (live(paid) === undefined || live(closed) === undefined) return;
        tried += 1;
        const without_limit = changeAccount(
          inputOf(replaceLife(before, chosen, paid)),
          chosen,
          (account) => ({ ...account, credit_limit_minor: 0n }),
        );
        const after = scoreOf(inputOf(replaceLife(before, chosen, closed)));
        expectNotLower(after, scoreOf(without_limit));
      }),
      RUNS,
    );
    expect(tried).toBeGreaterThan(RUNS.numRuns / 20);
  });

  test('closing a loan that is paid down costs nothing', () => {
    fc.assert(
      fc.property(subject, which, (before, index) => {
        const chosen = pick(before, index);
        const one = before.lives[chosen];
        if (one === undefined || isRevolving(one.account_type)) return;
        const paid = withEvent(one, { type: 'BALANCE_UPDATED', day: AS_OF_DAY, amount_minor: 0n });
        const closed = withEvent(paid, { type: 'ACCOUNT_CLOSED', day: AS_OF_DAY });
        if (live(closed) === undefined) return;
        expectNotLower(
          scoreOf(inputOf(replaceLife(before, chosen, closed))),
          scoreOf(inputOf(replaceLife(before, chosen, paid))),
        );
      }),
      RUNS,
    );
  });

  test('a new account of any size lifts no ceiling, nor does an old one that hardly paid', () => {
    const fresh = fc.record({ age: fc.nat({ max: 179 }), payment_count: fc.nat({ max: 200 }) });
    const idle = fc.record({ age: fc.nat({ max: 4000 }), payment_count: fc.nat({ max: 2 }) });
    fc.assert(
      fc.property(subject, life, fc.oneof(fresh, idle), (before, more, { age, payment_count }) => {
        const input = inputOf(before);
        const opened = { ...lived(more), opened_day: AS_OF_DAY - age, payment_count };
        const after = { ...input, accounts: [...input.accounts, opened] };
        const score = calculateScore(input);
        if (score.score === undefined) return;
        expect(calculateScore(after).caps).toEqual(expect.arrayContaining([...score.caps]));
      }),
      RUNS,
    );
  });
});

describe('what began seven years ago', () => {
  const old_start = fc.integer({ min: OLDEST_REPORTED_DAYS + 1, max: 6000 });

  test('is nowhere in the profile, whatever it came to and whatever was reported since', () => {
    const since = fc.nat({ max: 6000 });
    const maybe = fc.option(since, { nil: undefined });
    const steps = fc.record({
      ended: maybe,
      delinquent: maybe,
      restructured: maybe,
      defaulted: maybe,
      written_off: maybe,
      late: fc.array(since, { maxLength: 4 }),
      severity: fc.constantFrom('MINOR', 'CRITICAL' as const),
    });
    fc.assert(
      fc.property(subject, which, old_start, steps, (before, index, age, what) => {
        const started_day = AS_OF_DAY - age;
        const on = (later: number | undefined): number | undefined =>
          later === undefined ? undefined : Math.min(AS_OF_DAY, started_day + later);
        const ended_day = on(what.ended);
        const old = {
          started_day,
          ended_day,
          past_due_since_day: started_day,
          delinquency_started_day: on(what.delinquent),
          restructured_day: on(what.restructured),
          defaulted_day: on(what.defaulted),
          default_severity: what.severity,
          default_cured_day: undefined,
          written_off_day: on(what.written_off),
        };
        const late = what.late
          .map((later) => on(later) ?? started_day)
          .filter((day) => day <= (ended_day ?? AS_OF_DAY))
          .map(monthOfDay);
        // On an account without lateness of its own, so that every late month is the old spell's.
        const clean = changeAccount(inputOf(before), index, (account) => ({
          ...account,
          status: 'CURRENT',
          disputed: false,
          network_review: false,
          settled_day: undefined,
          opened_day: Math.min(account.opened_day, started_day),
          episodes: [],
          late_months: [],
        }));
        const haunted = changeAccount(clean, index, (account) => ({
          ...account,
          episodes: [old],
          late_months: late,
        }));
        expect(calculateProfile(haunted)).toEqual(calculateProfile(clean));
        const open = changeAccount(haunted, index, (account) => ({
          ...account,
          status: 'DEFAULTED',
          episodes: [{ ...old, ended_day: undefined }],
        }));
        const { score, risk, history } = calculateProfile(open);
        expect(score).toEqual(calculateProfile(clean).score);
        const statuses = history.accounts_by_status.map(({ status }) => status);
        const others = clean.accounts.filter((_, place) => place !== index % clean.accounts.length);
        if (!others.some(({ status }) => status === 'DEFAULTED')) {
          expect([risk.worst_current_status, ...statuses]).not.toContain('DEFAULTED');
        }
        expect(history.payment_grid).toBe(calculateProfile(clean).history.payment_grid);
      }),
      RUNS,
    );
  });
});

describe('ageing never lowers the score', () => {
  const days_later = fc.integer({ min: 0, max: 4000 });

  // Payments that leave the window are positive facts that age: no item, and left out here.
  function withoutPayments(input: ModelInput): ModelInput {
    return {
      ...input,
      accounts: input.accounts.map((account) => ({
        ...account,
        payment_months: [],
        payment_days: [],
      })),
    };
  }

  // What was closed leaves the file after ten years: that is no item either.
  function staysOnFile({ accounts, as_of_day }: ModelInput, later: number): boolean {
    return accounts.every(
      ({ settled_day }) => settled_day === undefined || as_of_day + later - settled_day <= 3652,
    );
  }

  test('of a whole file whose troubles are over', () => {
    let tried = 0;
    fc.assert(
      fc.property(subject, days_later, (before, later) => {
        const input = withoutPayments(inputOf(before));
        const over = input.accounts.every((account) =>
          account.episodes.every((episode) => episode.ended_day !== undefined),
        );
        if (!over || !staysOnFile(input, later)) return;
        tried += 1;
        expectNotLower(scoreOf({ ...input, as_of_day: input.as_of_day + later }), scoreOf(input));
      }),
      RUNS,
    );
    expect(tried).toBeGreaterThan(RUNS.numRuns / 10);
  });

  function hasStoppedGrowing(episode: AccountFacts['episodes'][number]): boolean {
    const in_default = episode.defaulted_day !== undefined || episode.written_off_day !== undefined;
    const since = in_default ? episode.started_day : episode.past_due_since_day;
    return since === undefined || AS_OF_DAY - since >= 120;
  }

  test('of trouble that lasts but no longer grows', () => {
    fc.assert(
      fc.property(subject, days_later, (before, later) => {
        const input = inputOf(before);
        const grows = input.accounts.some((account) =>
          account.episodes.some(
            (episode) => episode.ended_day === undefined && !hasStoppedGrowing(episode),
          ),
        );
        if (grows || !staysOnFile(input, later)) return;
        const points = (day: number): number =>
          calculateScore({ ...input, as_of_day: day }).factors.find(
            ({ name }) => name === 'DEROGATORY',
          )?.points ?? 0;
        expectNotLower(points(AS_OF_DAY + later), points(AS_OF_DAY));
      }),
      RUNS,
    );
  });

  test('of one item moved into the past', () => {
    fc.assert(
      fc.property(life, days_later, (one, older) => {
        const account = lived({
          ...one,
          events: one.events.filter(({ type }) => type !== 'DISPUTE_OPENED'),
        });
        const ended = account.episodes.filter((episode) => episode.ended_day !== undefined);
        const move = (day: number | undefined): number | undefined =>
          day === undefined ? undefined : day - older;
        const aged = ended.map((episode) => ({
          ...episode,
          started_day: episode.started_day - older,
          ended_day: move(episode.ended_day),
          past_due_since_day: move(episode.past_due_since_day),
          delinquency_started_day: move(episode.delinquency_started_day),
          restructured_day: move(episode.restructured_day),
          defaulted_day: move(episode.defaulted_day),
          default_cured_day: move(episode.default_cured_day),
          written_off_day: move(episode.written_off_day),
        }));
        const points = (episodes: AccountFacts['episodes']): number =>
          calculateScore({
            subject_type: 'INDIVIDUAL',
            as_of_day: AS_OF_DAY,
            accounts: [{ ...account, late_months: [], episodes }],
            inquiries: [],
          }).factors[0]?.points ?? 0;
        expectNotLower(points(aged), points(ended));
      }),
      RUNS,
    );
  });
});

describe('every profile', () => {
  test('is in range, its points add up and its reasons never claim more than was lost', () => {
    fc.assert(
      fc.property(subject, (one) => {
        const { score } = calculateProfile(inputOf(one));
        const negatives = score.reasons.filter(({ direction }) => direction === 'NEGATIVE');
        const positives = score.reasons.filter(({ direction }) => direction === 'POSITIVE');
        expect(negatives.length).toBeLessThanOrEqual(5);
        expect(positives.length).toBeLessThanOrEqual(2);
        if (score.score === undefined) {
          // All disputed, or closed so long ago that nothing is left.
          expect(['NF01', 'NF02']).toContain(score.reasons[0]?.code);
          return;
        }
        expect(Number.isInteger(score.score)).toBe(true);
        expect(score.score).toBeGreaterThanOrEqual(300);
        expect(score.score).toBeLessThanOrEqual(850);
        const uncapped = score.factors.reduce((sum, { points }) => sum + points, 300);
        expect(score.score).toBeLessThanOrEqual(uncapped);
        for (const { points, max } of score.factors) {
          expect(points).toBeGreaterThanOrEqual(0);
          expect(points).toBeLessThanOrEqual(max);
        }
        const lost = negatives.reduce((sum, { points_lost }) => sum + points_lost, 0);
        expect(lost).toBeLessThanOrEqual(850 - score.score);
        expect(negatives.every(({ points_lost }) => points_lost > 0)).toBe(true);
      }),
      RUNS,
    );
  });

  test('is the same whatever the order of its facts, and whenever it is worked out', () => {
    fc.assert(
      fc.property(subject, fc.infiniteStream(fc.nat()), (one, numbers) => {
        const shuffle = <Item>(items: readonly Item[]): Item[] =>
          items
            .map((item) => ({ item, key: Number(numbers.next().value) }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const input = inputOf(one);
        const shuffled: ModelInput = {
          ...input,
          inquiries: shuffle(input.inquiries),
          accounts: shuffle(
            input.accounts.map((account) => ({
              ...account,
              episodes: shuffle(account.episodes),
              payment_months: shuffle(account.payment_months),
              late_months: shuffle(account.late_months),
              payment_days: shuffle(account.payment_days),
            })),
          ),
        };
        expect(calculateProfile(shuffled)).toEqual(calculateProfile(input));
        expect(calculateProfile(structuredClone(input))).toEqual(calculateProfile(input));
        expect(canonicalInput(shuffled)).toBe(canonicalInput(input));
      }),
      RUNS,
    );
  });

  test('does not read the clock', () => {
    const input = inputOf({ subject_type: 'INDIVIDUAL', lives: [], inquiries: [] });
    const before = calculateProfile(input);
    jest.useFakeTimers({ now: 0 });
    expect(calculateProfile(input)).toEqual(before);
    jest.useRealTimers();
  });
});
