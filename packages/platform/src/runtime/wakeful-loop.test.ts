import { WakefulLoop } from './wakeful-loop';

const NEVER_MS = 1_000_000;

/** A loop whose work is as long and as much as the test says. */
function loopOf(pause_ms: number, more: boolean[] = []) {
  let rounds = 0;
  let waiting: { after: number; resolve: () => void } | undefined;
  const loop = new WakefulLoop({
    pause_ms: () => pause_ms,
    work: async () => {
      rounds += 1;
      if (waiting !== undefined && rounds >= waiting.after) waiting.resolve();
      return more.shift() ?? false;
    },
  });
  const round = (after: number) =>
    rounds >= after
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          waiting = { after, resolve };
        });
  return { loop, round, rounds: () => rounds };
}

it('goes on without a pause while there is more', async () => {
  const { loop, round, rounds } = loopOf(NEVER_MS, [true, true]);
  loop.start();
  await round(3);
  await loop.stop();
  expect(rounds()).toBe(3);
});

it('looks again after its pause', async () => {
  const { loop, round } = loopOf(1);
  loop.start();
  await round(3);
  await loop.stop();
});

it('is woken from its pause, and by what it is told while it works', async () => {
  const { loop, round, rounds } = loopOf(NEVER_MS);
  loop.start();
  await round(1);
  await new Promise(setImmediate);
  loop.wake();
  // Twice in one turn is once: the round after sees both.
  loop.wake();
  await round(2);
  loop.wake();
  await round(3);
  await loop.stop();
  expect(rounds()).toBe(3);
});

it('stops after what is in hand, from a pause at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let finished = false;
  const loop = new WakefulLoop({
    pause_ms: () => NEVER_MS,
    work: async () => {
      await promise;
      finished = true;
      return true;
    },
  });
  loop.start();
  const stopped = loop.stop();
  resolve();
  await stopped;
  expect(finished).toBe(true);
  const idle = loopOf(NEVER_MS);
  idle.loop.start();
  await idle.round(1);
  await idle.loop.stop();
  expect(idle.rounds()).toBe(1);
});
