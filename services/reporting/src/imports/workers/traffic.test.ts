import { setTimeout as sleep } from 'node:timers/promises';
import { systemContext } from '@credit/platform/context';
import { restMs, Traffic } from './traffic';

describe('restMs', () => {
  it('leaves requests their share of the time, as far as there are any', () => {
    expect(restMs(50, 100, 0)).toBe(0);
    expect(restMs(50, 100, 25)).toBe(25);
    expect(restMs(50, 100, 100)).toBe(100);
    expect(restMs(20, 100, 3_000)).toBe(400);
    expect(restMs(100, 100, 3_000)).toBe(0);
  });

  it('rests no longer than the next look at a lease allows', () => {
    expect(restMs(1, 10_000, 10_000)).toBe(5_000);
    expect(restMs(50, 0, 10)).toBe(0);
  });
});

describe('Traffic', () => {
  it('counts what answers took, and those that fail', async () => {
    const traffic = new Traffic();
    const handler = async (_ctx: unknown, request: unknown) => {
      await sleep(20);
      if (request === 'bad') throw new Error('refused');
      return request;
    };
    const coded = { decodeRequest: String, encodeResponse: () => Buffer.alloc(0) };
    const service = { name: 's', methods: [{ path: '/s/m', ...coded, handler }] };
    const [method] = traffic.counted(service).methods;
    const spent = traffic.look();
    expect(spent()).toBe(0);
    const ctx = systemContext('live');
    await expect(method?.handler(ctx, 'good')).resolves.toBe('good');
    await expect(method?.handler(ctx, 'bad')).rejects.toThrow('refused');
    // Timers may end a moment early.
    expect(spent()).toBeGreaterThan(30);
    expect(traffic.look()()).toBe(0);
  });
});
