import {
  CheckpointVerifier,
  isConsistent,
  isIncluded,
  leafHash,
  parseNote,
} from '@credit/platform/merkle';
import { z } from 'zod';
import { operations } from '.';
import recorded from './recorded-answers.json';

// The answers were recorded from a system (e2e/journeys/examples.test.ts); whatever is recorded next
// has to agree with itself, and with what is written beside it by hand.

/** Operations whose shown answer is none that was given, and why. */
const NOT_RECORDED: Readonly<Record<string, string>> = {
  getOpenApi: 'The answer is the whole document that it would stand in.',
};

test('every answer that is shown was given', () => {
  const shown = Object.entries<{ examples: { response?: unknown } }>(operations).filter(
    ([id, { examples }]) => examples.response !== undefined && NOT_RECORDED[id] === undefined,
  );
  expect(Object.fromEntries(shown.map(([id, { examples }]) => [id, examples.response]))).toEqual(
    recorded,
  );
});

const LOWEST_SCORE = 300;
/** As the guide to profiles has them. */
const BANDS = [
  { from: 800, grade: 'A', band: 'EXCEPTIONAL', level: 'LOW' },
  { from: 740, grade: 'B', band: 'VERY_GOOD', level: 'MODERATE' },
  { from: 670, grade: 'C', band: 'GOOD', level: 'ELEVATED' },
  { from: 580, grade: 'D', band: 'FAIR', level: 'HIGH' },
  { from: 300, grade: 'E', band: 'POOR', level: 'SEVERE' },
] as const;
const MOST_POINTS = 550;

const factors = z.array(z.object({ name: z.string(), points: z.number(), max: z.number() }));
const rated = z.object({ score: z.number(), grade: z.string(), factors });
const view = rated.extend({ band: z.string(), caps_applied: z.array(z.string()) });
const snapshot = rated.extend({
  id: z.string(),
  previous_score: z.number().nullable(),
  delta: z.number().nullable(),
});
const account = z.object({
  id: z.string(),
  current_balance: z.number(),
  status: z.string(),
  version: z.number(),
});
const event = z.object({
  credit_account_id: z.string(),
  amount: z.number().nullable(),
  balance_after: z.number().nullable(),
  sequence: z.number(),
  resulting_status: z.string(),
});

const profile = z
  .object({
    credit: rated.extend({ band: z.string() }),
    risk: z.object({
      level: z.string(),
      worst_current_status: z.string(),
      caps_applied: z.array(z.string()),
      max_days_past_due: z.number(),
      bucket: z.string(),
    }),
    history: z.object({
      accounts_by_status: z.array(z.object({ status: z.string(), count: z.number() })),
      totals: z.array(z.object({ balance: z.number() })),
      institution_count: z.number(),
      payment_grid: z.string().length(24),
    }),
  })
  .parse(operations.getCreditProfile.examples.response);
const simulation = z
  .object({ before: view, after: view, delta: z.number() })
  .parse(operations.simulateCredit.examples.response);
const snapshots = z.array(snapshot).parse(operations.listSnapshots.examples.response);
const diff = z
  .object({
    from: snapshot,
    to: snapshot,
    score_delta: z.number(),
    factors: z.array(
      z.object({
        name: z.string(),
        from_points: z.number(),
        to_points: z.number(),
        delta: z.number(),
      }),
    ),
  })
  .parse(operations.diffSnapshots.examples.response);

const report = z
  .object({
    content: z.object({
      credit: rated,
      risk: z.object({ caps_applied: z.array(z.string()) }),
    }),
  })
  .parse(operations.getReport.examples.response).content;
const health = z
  .object({
    score: z.number(),
    grade: z.string(),
    metrics: z.array(
      z.object({
        value: z.number().nullable(),
        weight: z.number(),
        numerator: z.number(),
        denominator: z.number(),
      }),
    ),
  })
  .parse(operations.getReportingHealth.examples.response);

const points = (list: z.infer<typeof factors>) =>
  list.reduce((sum, { points: some }) => sum + some, 0);

test.each([
  ['the profile', profile.credit, profile.risk.caps_applied],
  ['before a simulation', simulation.before, simulation.before.caps_applied],
  ['after it', simulation.after, simulation.after.caps_applied],
  ['the report', report.credit, report.risk.caps_applied],
  ['the earlier snapshot', diff.from, []],
  ['the later one', diff.to, []],
] as const)('%s: 300 and the points make the score, which has its grade', (_, shown, caps) => {
  expect(caps).toEqual([]);
  expect(shown.score).toBe(LOWEST_SCORE + points(shown.factors));
  expect(shown.factors.reduce((sum, { max }) => sum + max, 0)).toBe(MOST_POINTS);
  for (const factor of shown.factors) expect(factor.points).toBeLessThanOrEqual(factor.max);
  expect(shown.grade).toBe(BANDS.find(({ from }) => shown.score >= from)?.grade);
});

test('band and level are those of the score, in the profile and in a simulation', () => {
  const { credit, risk } = profile;
  const expected = BANDS.find(({ from }) => credit.score >= from);
  expect([credit.band, risk.level]).toEqual([expected?.band, expected?.level]);
  for (const { score, band } of [simulation.before, simulation.after]) {
    expect(band).toBe(BANDS.find(({ from }) => score >= from)?.band);
  }
  expect(simulation.delta).toBe(simulation.after.score - simulation.before.score);
  expect(simulation.before.score).toBe(credit.score);
});

test('snapshots follow each other, and a diff says what lies between them', () => {
  const [latest, earlier] = snapshots;
  expect(latest?.delta).toBe((latest?.score ?? 0) - (latest?.previous_score ?? 0));
  expect(latest?.previous_score).toBe(earlier?.score);
  expect(latest?.score).toBe(profile.credit.score);
  expect([diff.from.id, diff.to.id]).toEqual([earlier?.id, latest?.id]);
  expect(diff.score_delta).toBe(diff.to.score - diff.from.score);
  expect(diff.factors.reduce((sum, { delta }) => sum + delta, 0)).toBe(diff.score_delta);
  for (const { name, from_points, to_points, delta } of diff.factors) {
    expect(delta).toBe(to_points - from_points);
    expect(diff.to.factors.find((factor) => factor.name === name)?.points).toBe(to_points);
  }
});

test('a payment, the account before and after it, and the profile agree on balances and counts', () => {
  const opened = account.parse(operations.createAccount.examples.response);
  const paid = account.parse(operations.getAccount.examples.response);
  const payment = event.parse(operations.reportEvent.examples.response);
  const record = z.array(event).parse(operations.listAccountEvents.examples.response);
  expect(payment.credit_account_id).toBe(paid.id);
  expect(payment.balance_after).toBe(paid.current_balance);
  const difference = opened.current_balance - paid.current_balance;
  expect(Number(difference.toFixed(2))).toBe(payment.amount);
  expect([payment.resulting_status, paid.version]).toEqual([paid.status, opened.version + 1]);
  expect(record.map(({ sequence }) => sequence)).toEqual([2, 1]);
  expect(record[0]).toEqual(payment);

  const { accounts_by_status, totals, institution_count } = profile.history;
  const count = accounts_by_status.reduce((sum, { count: some }) => sum + some, 0);
  expect(count).toBeGreaterThanOrEqual(institution_count);
  expect(accounts_by_status.map(({ status }) => status)).toContain(
    profile.risk.worst_current_status,
  );
  expect(totals[0]?.balance).toBeGreaterThan(paid.current_balance);
});

const verifier = new CheckpointVerifier(
  recorded.listAuditKeys.map(({ public_key }) => Buffer.from(public_key, 'base64')),
);
const hashes = (path: readonly string[]) => path.map((hash) => Buffer.from(hash, 'hex'));

/** What a checkpoint's note says, once its signature is checked. */
function signed({ note }: { readonly note: string }) {
  const checkpoint = parseNote(note);
  if (checkpoint === undefined) throw new Error('No note of a checkpoint.');
  expect(verifier.faultOf(checkpoint)).toBeUndefined();
  return checkpoint;
}

test.each([
  ['a credit event', recorded.proveEvent, recorded.reportEvent.source_reference],
  ['an audit event', recorded.proveAuditEvent, recorded.listAuditEvents[0]?.id],
  ['one of the network', recorded.proveNetworkAuditEvent, recorded.listNetworkAuditEvents[0]?.id],
] as const)('the proof of %s leads to a signed checkpoint', (_, proof, what) => {
  expect(JSON.parse(proof.entry)).toContain(what);
  const path = hashes(proof.path);
  expect(isIncluded(leafHash(proof.entry), proof.index, signed(proof.checkpoint), path)).toBe(true);
});

test.each([
  ['an institution', recorded.listAuditCheckpoints, recorded.proveAuditConsistency],
  ['the network', recorded.listNetworkAuditCheckpoints, recorded.proveNetworkAuditConsistency],
] as const)('the log of %s only grew', (_, checkpoints, { from, to, path }) => {
  const [newer, older] = checkpoints.map(signed);
  if (newer === undefined || older === undefined) throw new Error('There are not two.');
  expect([older.size, newer.size]).toEqual([from, to]);
  expect(isConsistent(older, newer, hashes(path))).toBe(true);
});

test('the health of reporting is what its metrics weigh', () => {
  const known = health.metrics.flatMap(({ value, weight }) =>
    value === null ? [] : [{ value, weight }],
  );
  const weight = known.reduce((sum, metric) => sum + metric.weight, 0);
  const weighed = known.reduce((sum, metric) => sum + metric.value * metric.weight, 0);
  expect(health.score).toBe(Math.round(weighed / weight));
  expect(health.metrics.reduce((sum, metric) => sum + metric.weight, 0)).toBe(100);
  for (const { value, denominator } of health.metrics) {
    if (value === null) expect(denominator).toBe(0);
  }
});

test('what the public is told of the network is what its administrators count', () => {
  const counted = z.object({ status: z.string(), count: z.number() });
  const figure = z.number().nullable();
  const told = z
    .object({ institutions: figure, subjects: figure, accounts: figure })
    .parse(operations.getNetworkStats.examples.response);
  const { institutions, accounts, subjects } = z
    .object({
      institutions: z.array(counted),
      accounts: z.array(counted),
      subjects: z.number(),
    })
    .parse(operations.getNetworkMetrics.examples.response);
  const active = institutions.find(({ status }) => status === 'ACTIVE')?.count ?? 0;
  const account_count = accounts.reduce((sum, { count }) => sum + count, 0);
  // Fewer than ten are not told.
  const publicly = (count: number) => (count < 10 ? null : count);
  expect(told).toEqual({
    institutions: publicly(active),
    subjects: publicly(subjects),
    accounts: publicly(account_count),
  });
});
