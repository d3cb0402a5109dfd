import { systemContext } from '@credit/platform/context';
import { HOURS_KEPT_MS } from '@credit/platform/db';
import { toTimestamp } from '@credit/platform/runtime';
import { TOTALS } from '../src/store/totals';
import { institution, newAccount, useHarness } from './harness';

const harness = useHarness();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ctx = institution();

const figures = () => harness.reporting.getReportingFigures(ctx, {});
const traffic = () => harness.reporting.getReportingTraffic(ctx, {});
const fold = () =>
  TOTALS.fold(
    harness.db.read(systemContext('live')),
    toTimestamp(harness.clock.now_ms() - HOURS_KEPT_MS),
    1_000,
  );

beforeAll(() => {
  // Half past ten, so that the hours of a test are of one day.
  harness.clock.offset_ms +=
    DAY_MS - (harness.clock.now_ms() % DAY_MS) + 10 * HOUR_MS + HOUR_MS / 2;
});

test('what comes is counted by the hour and by the day, and figures count nothing again', async () => {
  await newAccount(harness.reporting, ctx);
  harness.clock.offset_ms += 2 * HOUR_MS;
  await newAccount(harness.reporting, ctx);
  await newAccount(harness.reporting, ctx);
  const { hours, days } = await traffic();
  const at = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString();
  const now_ms = harness.clock.now_ms();
  expect(hours).toEqual([
    { from: at(now_ms - 2 * HOUR_MS), accounts: 1n, events: 1n, inquiries: 0n },
    { from: at(now_ms), accounts: 2n, events: 2n, inquiries: 0n },
  ]);
  expect(days).toEqual([
    { from: toTimestamp(now_ms - (now_ms % DAY_MS)), accounts: 3n, events: 3n, inquiries: 0n },
  ]);
  expect(await figures()).toMatchObject({
    subjects: 3n,
    events: 3n,
    events_24h: 3n,
    accounts_by_status: [{ status: 'CURRENT', count: 3n }],
  });

  harness.clock.offset_ms += 22 * HOUR_MS;
  expect((await traffic()).hours.map(({ events }) => events)).toEqual([2n]);
  expect(await figures()).toMatchObject({ events: 3n, events_24h: 2n });
});

test('hours become days when nobody looks at them any more, and no count changes', async () => {
  const before = [await figures(), (await traffic()).days];
  expect(await fold()).toBe(0);
  harness.clock.offset_ms += HOURS_KEPT_MS;
  const { events, subjects } = await figures();
  expect(await fold()).toBeGreaterThan(0);
  expect(await fold()).toBe(0);
  expect(await figures()).toMatchObject({ events, subjects });
  expect((await traffic()).days).toEqual(before[1]);
  expect(await harness.rows('live', 'SELECT * FROM hourly_totals')).toEqual([]);
});
