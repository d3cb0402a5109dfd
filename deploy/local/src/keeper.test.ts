import fc from 'fast-check';
import { Keeper, type Running, restartDelay_ms } from './keeper';
import { createOutput } from './output';

const silent = createOutput({
  write: () => undefined,
  format: 'line',
  colour: false,
  verbose: false,
});

/** Processes that die when told to. */
function stubProcesses() {
  const started: Array<{ die(code: number): void; stopped: boolean }> = [];
  let failures = 0;
  const start = async (): Promise<Running> => {
    if (failures > 0) {
      failures--;
      throw new Error('no port');
    }
    let die: (code: number) => void = () => undefined;
    const exited = new Promise<{ code: number; signal: null }>((resolve) => {
      die = (code) => resolve({ code, signal: null });
    });
    const one = { die, stopped: false };
    started.push(one);
    return {
      pid: started.length,
      exited,
      stop: async () => {
        one.stopped = true;
        die(0);
      },
    };
  };
  return {
    started,
    start,
    failNext: (count: number) => {
      failures = count;
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !isSo(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(isSo()).toBe(true);
}

describe('keeping a process running', () => {
  it('waits longer after each death in a row, within bounds', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map(restartDelay_ms)).toEqual([
      100, 200, 400, 800, 1600, 3200, 5000, 5000,
    ]);
    fc.assert(
      fc.property(fc.nat(), (deaths) => {
        const wait_ms = restartDelay_ms(deaths);
        return wait_ms >= 100 && wait_ms <= 5000 && wait_ms <= restartDelay_ms(deaths + 1);
      }),
    );
  });

  it('starts again what dies, also when a start fails in between', async () => {
    const { started, start, failNext } = stubProcesses();
    const keeper = new Keeper('stub', start, silent, () => undefined);
    await keeper.begin();
    failNext(1);
    started[0]?.die(7);
    await until(() => keeper.pid === 2);
    expect(keeper.troubles).toEqual({ deaths: 2, last: 'did not start: no port' });
    await keeper.stop();
    expect(started.map((one) => one.stopped)).toEqual([false, true]);
  });

  it('leaves the failure of the first start to its caller', async () => {
    const { start, failNext, started } = stubProcesses();
    failNext(1);
    const keeper = new Keeper('stub', start, silent, () => undefined);
    await expect(keeper.begin()).rejects.toThrow('no port');
    await keeper.stop();
    expect(started).toEqual([]);
  });

  it('restarts at once for changed code, and counts no death', async () => {
    const { started, start } = stubProcesses();
    const keeper = new Keeper('stub', start, silent, () => undefined);
    await keeper.begin();
    await keeper.restart();
    await until(() => keeper.pid === 2);
    expect(keeper.troubles.deaths).toBe(0);
    await keeper.stop();
    expect(started).toHaveLength(2);
  });

  it('starts nothing once stopped: while starting, running or waiting', async () => {
    for (const moment of ['starting', 'running', 'waiting'] as const) {
      const { started, start } = stubProcesses();
      const keeper = new Keeper('stub', start, silent, () => undefined);
      const begun = keeper.begin();
      if (moment !== 'starting') await begun;
      if (moment === 'waiting') {
        started[0]?.die(1);
        await until(() => keeper.pid === undefined);
      }
      await keeper.stop();
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(started).toHaveLength(1);
      expect(started[0]?.stopped).toBe(moment !== 'waiting');
      expect(keeper.pid).toBeUndefined();
    }
  });
});
