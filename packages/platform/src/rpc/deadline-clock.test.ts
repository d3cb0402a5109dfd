import { DeadlineClock, type Deadlined } from './deadline-clock';

class Entry implements Deadlined {
  deadline_slot: Set<Deadlined> | undefined;
  reached_at_ms: number[] = [];

  constructor(
    readonly deadline_at_ms: number,
    readonly onReached: () => void = () => {},
  ) {}

  onDeadline(): void {
    this.reached_at_ms.push(Date.now());
    this.onReached();
  }
}

const START_MS = 1_700_000_000_123;

beforeEach(() => jest.useFakeTimers({ now: START_MS }));
afterEach(() => jest.useRealTimers());

describe('the deadline clock', () => {
  it('reports each deadline once, never early and at most two ticks late', () => {
    const clock = new DeadlineClock();
    const entries = [5, 10, 11, 250, 15_000].map((in_ms) => new Entry(START_MS + in_ms));
    for (const entry of entries) clock.schedule(entry);

    jest.advanceTimersByTime(20_000);

    for (const entry of entries) {
      expect(entry.reached_at_ms).toHaveLength(1);
      const late_ms = (entry.reached_at_ms[0] ?? 0) - entry.deadline_at_ms;
      expect(late_ms).toBeGreaterThanOrEqual(0);
      expect(late_ms).toBeLessThanOrEqual(20);
    }
  });

  it('forgets what was cancelled and leaves its neighbours alone', () => {
    const clock = new DeadlineClock();
    const cancelled = new Entry(START_MS + 50);
    const neighbour = new Entry(START_MS + 50);
    clock.schedule(cancelled);
    clock.schedule(neighbour);

    clock.cancel(cancelled);
    clock.cancel(cancelled);
    jest.advanceTimersByTime(100);

    expect(cancelled.reached_at_ms).toEqual([]);
    expect(neighbour.reached_at_ms).toHaveLength(1);
  });

  it('reports a deadline that has already passed', () => {
    const clock = new DeadlineClock();
    const entry = new Entry(START_MS - 1_000);

    clock.schedule(entry);
    jest.advanceTimersByTime(30);

    expect(entry.reached_at_ms).toHaveLength(1);
  });

  it('takes a new deadline while it reports others', () => {
    const clock = new DeadlineClock();
    const second = new Entry(START_MS);
    clock.schedule(new Entry(START_MS + 100, () => clock.schedule(second)));

    jest.advanceTimersByTime(200);

    expect(second.reached_at_ms).toHaveLength(1);
  });

  it('never reports a call without a deadline, and runs no timer for it', () => {
    const clock = new DeadlineClock();

    clock.schedule(new Entry(Number.POSITIVE_INFINITY));

    expect(jest.getTimerCount()).toBe(0);
  });

  it('catches up when the process has slept', () => {
    const clock = new DeadlineClock();
    const entries = [40, 50, 3_600_000].map((in_ms) => new Entry(START_MS + in_ms));
    for (const entry of entries) clock.schedule(entry);

    jest.setSystemTime(START_MS + 60_000);
    jest.advanceTimersByTime(20);

    expect(entries.map((entry) => entry.reached_at_ms.length)).toEqual([1, 1, 0]);
  });

  it('stops its timer when nothing is left', () => {
    const clock = new DeadlineClock();
    clock.schedule(new Entry(START_MS + 30));

    jest.advanceTimersByTime(100);

    expect(jest.getTimerCount()).toBe(0);
  });
});
