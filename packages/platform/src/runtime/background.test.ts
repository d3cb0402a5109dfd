import { Background, type BackgroundOptions } from './background';

const NEVER_MS = 1_000_000;
const logger = { warn: jest.fn() };

beforeEach(() => jest.clearAllMocks());

/** Work that is as long and as much as the test says. */
function backgroundOf(pause_ms: number, more: (boolean | Error)[] = []) {
  let rounds = 0;
  let waiting: { after: number; resolve: () => void } | undefined;
  const background = new Background({
    name: 'test',
    logger,
    pause_ms,
    work: async () => {
      rounds += 1;
      if (waiting !== undefined && rounds >= waiting.after) waiting.resolve();
      const next = more.shift() ?? false;
      if (next instanceof Error) throw next;
      return next;
    },
  });
  const round = (after: number) =>
    rounds >= after
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          waiting = { after, resolve };
        });
  return { background, round, rounds: () => rounds };
}

function never(options: Partial<BackgroundOptions>): Background {
  return new Background({
    name: 'test',
    logger,
    pause_ms: NEVER_MS,
    work: async () => false,
    ...options,
  });
}

it('goes on without a pause while there is more', async () => {
  const { background, round, rounds } = backgroundOf(NEVER_MS, [true, true]);
  background.start();
  await round(3);
  await background.stop();
  expect(rounds()).toBe(3);
});

it('looks again after its pause', async () => {
  const { background, round } = backgroundOf(1);
  background.start();
  await round(3);
  await background.stop();
});

it('is woken from its pause, and by what it is told while it works', async () => {
  const { background, round, rounds } = backgroundOf(NEVER_MS);
  background.start();
  await round(1);
  await new Promise(setImmediate);
  background.wake();
  // Twice in one turn is once: the round after sees both.
  background.wake();
  await round(2);
  background.wake();
  await round(3);
  await background.stop();
  expect(rounds()).toBe(3);
});

it('stops after what is in hand, from a pause at once, and then ends what it works with', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const said: string[] = [];
  const background = never({
    work: async () => {
      await promise;
      said.push('worked');
      return true;
    },
    close: () => void said.push('closed'),
  });
  background.start();
  const stopped = background.stop();
  resolve();
  await stopped;
  expect(said).toEqual(['worked', 'closed']);

  const idle = backgroundOf(NEVER_MS);
  idle.background.start();
  await idle.round(1);
  await idle.background.stop();
  expect(idle.rounds()).toBe(1);
});

it('tells long work that it is to stop', async () => {
  const background = never({
    work: async (isStopping) => {
      while (!isStopping()) await new Promise(setImmediate);
      return true;
    },
  });
  background.start();
  await new Promise(setImmediate);
  await background.stop();
});

it('begins with a pause when told so', async () => {
  const work = jest.fn(async () => false);
  const background = never({ rests_first: true, work });
  background.start();
  await new Promise(setImmediate);
  expect(work).not.toHaveBeenCalled();
  background.wake();
  await new Promise(setImmediate);
  expect(work).toHaveBeenCalledTimes(1);
  await background.stop();
});

it('logs a failure, goes on after a pause, and forgets failures after a success', async () => {
  const { background, round } = backgroundOf(1, [new Error('no'), new Error('again'), false]);
  background.start();
  await round(4);
  await background.stop();
  expect(logger.warn.mock.calls.map(([fields]) => fields.failures)).toEqual([1, 2]);
  expect(logger.warn).toHaveBeenCalledWith(
    expect.objectContaining({ work: 'test', err: expect.any(Error) }),
    'background work failed',
  );
});
