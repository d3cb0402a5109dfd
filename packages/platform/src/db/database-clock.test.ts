import { DatabaseClock } from './database-clock';

const DAY_MS = 86_400_000;
const logger = { warn: jest.fn(), info: jest.fn() };
let database_off_ms = 0;
let machine_off_ms = 0;
/** How long the way to the database takes, each way. */
let way_ms = 0;
let is_away = false;

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + machine_off_ms);
  database_off_ms = 0;
  machine_off_ms = 0;
  way_ms = 0;
  is_away = false;
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const truth_ms = () => Date.now() - machine_off_ms + database_off_ms;
const passing = (ms: number) => jest.advanceTimersByTimeAsync(ms);

async function started(): Promise<DatabaseClock> {
  const one = async () => {
    await new Promise((resolve) => setTimeout(resolve, way_ms));
    if (is_away) throw new Error('It is away.');
    const at_ms = truth_ms();
    await new Promise((resolve) => setTimeout(resolve, way_ms));
    return { at_ms };
  };
  // Of the one statement that it asks.
  const clock = new DatabaseClock({ one: one as never }, logger);
  const starting = clock.start();
  await passing(2 * way_ms + 1);
  await starting;
  return clock;
}

test('a machine whose clock is off goes by the database', async () => {
  machine_off_ms = 2 * DAY_MS;
  const clock = await started();
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  expect(logger.warn).toHaveBeenCalledTimes(1);
  clock.stop();
});

test.each([2 * DAY_MS, -2 * DAY_MS])('a clock that is set by %i ms is not followed', async (by) => {
  const clock = await started();
  await passing(1_000);
  machine_off_ms = by;
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  await passing(20_000);
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  machine_off_ms = 0;
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  clock.stop();
});

test('where the clock of the database is set, and of the machine with it, it is followed at once', async () => {
  const clock = await started();
  await passing(1_000);
  machine_off_ms = database_off_ms = 30 * DAY_MS;
  await passing(300);
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  clock.stop();
});

test('a slow answer moves it no further than the answer proves, and none not at all', async () => {
  way_ms = 400;
  const clock = await started();
  // Within the time that an answer takes both may be right.
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  is_away = true;
  machine_off_ms = DAY_MS;
  await passing(30_000);
  expect(Math.abs(clock.now_ms() - truth_ms())).toBeLessThan(2);
  clock.stop();
});
