import { Lanes } from './lanes';

/** Runs that the test ends one by one. */
function gated(options: { concurrency: number; max_batch: number }) {
  const runs: Array<{ lane: string; items: number[]; end: () => void }> = [];
  const lanes = new Lanes<number>({
    ...options,
    run: (lane, items) =>
      new Promise<void>((end) => {
        runs.push({ lane, items, end });
      }),
  });
  return { lanes, runs, seen: () => runs.map(({ lane, items }) => `${lane}:${items}`) };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('lanes', () => {
  it('run one after another within a lane and side by side between lanes', async () => {
    const { lanes, runs, seen } = gated({ concurrency: 4, max_batch: 1 });
    lanes.push('a', 1);
    lanes.push('a', 2);
    lanes.push('b', 3);
    await turn();
    expect(seen()).toEqual(['a:1', 'b:3']);

    runs[0]?.end();
    await turn();
    expect(seen()).toEqual(['a:1', 'b:3', 'a:2']);
  });

  it('gather what queued while the lane was busy, up to the bound', async () => {
    const { lanes, runs, seen } = gated({ concurrency: 1, max_batch: 3 });
    lanes.push('a', 1);
    await turn();
    for (const item of [2, 3, 4, 5]) lanes.push('a', item);
    runs[0]?.end();
    await turn();
    runs[1]?.end();
    await turn();
    expect(seen()).toEqual(['a:1', 'a:2,3,4', 'a:5']);
  });

  it('take turns, so that a busy lane does not starve the others', async () => {
    const { lanes, runs, seen } = gated({ concurrency: 1, max_batch: 1 });
    for (const item of [1, 2, 3]) lanes.push('busy', item);
    lanes.push('quiet', 4);
    for (let index = 0; index < 4; index += 1) {
      await turn();
      runs[index]?.end();
    }
    await turn();
    expect(seen()).toEqual(['busy:1', 'quiet:4', 'busy:2', 'busy:3']);
    expect(lanes.size).toBe(0);
  });

  it('tell when there is room', async () => {
    const { lanes, runs } = gated({ concurrency: 1, max_batch: 1 });
    lanes.push('a', 1);
    lanes.push('b', 2);
    let room = false;
    const waiting = lanes.whenAtMost(1).then(() => {
      room = true;
    });
    await turn();
    expect(room).toBe(false);

    runs[0]?.end();
    await waiting;
    expect(room).toBe(true);
    expect(lanes.size).toBe(1);
  });

  it('give back what has not begun', async () => {
    const { lanes, runs, seen } = gated({ concurrency: 1, max_batch: 1 });
    lanes.push('a', 1);
    await turn();
    lanes.push('a', 2);
    lanes.push('b', 3);
    expect(lanes.clear()).toEqual([2, 3]);

    runs[0]?.end();
    await lanes.whenAtMost(0);
    await turn();
    expect(seen()).toEqual(['a:1']);
  });
});
