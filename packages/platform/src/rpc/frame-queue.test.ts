import { setImmediate as turn } from 'node:timers/promises';

import { FrameQueue } from './frame-queue';
import { MAX_BATCH_BYTES } from './limits';

interface Frame {
  call_id: number;
}

function setup() {
  const batches: number[][] = [];
  const callbacks: (() => void)[] = [];
  const onWritten = jest.fn();
  const queue = new FrameQueue<Frame>(
    {
      write({ frames }, written) {
        batches.push(frames.map((frame) => frame.call_id));
        callbacks.push(written);
      },
    },
    onWritten,
  );
  /** The stream has written the oldest message. */
  const written = () => callbacks.shift()?.();
  return { queue, batches, written, onWritten };
}

describe('the frame queue', () => {
  it('sends the frames of one turn as one message, in order', async () => {
    const { queue, batches } = setup();

    queue.push({ call_id: 1 }, 10);
    await Promise.resolve();
    queue.push({ call_id: 2 }, 10);
    expect(batches).toEqual([]);
    await turn();

    expect(batches).toEqual([[1, 2]]);
  });

  it('gathers frames while a message is being written', async () => {
    const { queue, batches, written } = setup();
    queue.push({ call_id: 1 }, 10);
    await turn();

    queue.push({ call_id: 2 }, 10);
    await turn();
    queue.push({ call_id: 3 }, 10);
    await turn();
    expect(batches).toEqual([[1]]);
    written();

    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('splits at the batch bound; a larger frame goes alone', async () => {
    const { queue, batches, written } = setup();

    queue.push({ call_id: 1 }, MAX_BATCH_BYTES / 2);
    queue.push({ call_id: 2 }, MAX_BATCH_BYTES / 2);
    queue.push({ call_id: 3 }, 1);
    queue.push({ call_id: 4 }, 3 * MAX_BATCH_BYTES);
    queue.push({ call_id: 5 }, 1);
    await turn();
    for (let n = 0; n < 4; n++) written();

    expect(batches).toEqual([[1, 2], [3], [4], [5]]);
    expect(queue.queued_bytes).toBe(0);
    expect(queue.idle).toBe(true);
  });

  it('takes back a frame that has not left', async () => {
    const { queue, batches } = setup();
    queue.push({ call_id: 1 }, 10);
    queue.push({ call_id: 2 }, 20);

    expect(queue.withdraw(1)).toBe(true);
    expect(queue.withdraw(1)).toBe(false);
    expect(queue.queued_bytes).toBe(20);
    await turn();

    expect(batches).toEqual([[2]]);
    expect(queue.withdraw(2)).toBe(false);
  });

  it('writes nothing when all was taken back', async () => {
    const { queue, batches } = setup();
    queue.push({ call_id: 1 }, 10);
    queue.withdraw(1);
    await turn();

    expect(batches).toEqual([]);
    expect(queue.idle).toBe(true);
    queue.push({ call_id: 2 }, 10);
    await turn();
    expect(batches).toEqual([[2]]);
  });

  it('tells when it has become shorter, and is idle only when all is written', async () => {
    const { queue, written, onWritten } = setup();
    queue.push({ call_id: 1 }, 10);
    expect(queue.idle).toBe(false);
    await turn();
    expect(queue.queued_bytes).toBe(0);
    expect(queue.idle).toBe(false);

    written();

    expect(onWritten).toHaveBeenCalledTimes(1);
    expect(queue.idle).toBe(true);
  });

  it('drops everything once closed', async () => {
    const { queue, batches, onWritten } = setup();
    queue.push({ call_id: 1 }, 10);

    queue.close();
    queue.push({ call_id: 2 }, 10);
    await turn();

    expect(batches).toEqual([]);
    expect(queue.queued_bytes).toBe(0);
    expect(onWritten).not.toHaveBeenCalled();
  });
});
