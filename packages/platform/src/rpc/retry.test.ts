import { status as GrpcStatus } from '@grpc/grpc-js';

import { systemContext } from '../context';
import { conflict } from '../errors';
import { withRetry } from './retry';
import { transportError } from './rpc-error';

const gone = transportError(GrpcStatus.UNAVAILABLE, 'gone');

describe('withRetry', () => {
  it('does not repeat what succeeds', async () => {
    const fn = jest.fn().mockResolvedValue('done');

    await expect(withRetry(systemContext('test'), fn)).resolves.toBe('done');

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('repeats when the peer was unavailable', async () => {
    const fn = jest.fn().mockRejectedValueOnce(gone).mockResolvedValue('done');

    await expect(withRetry(systemContext('test'), fn)).resolves.toBe('done');

    expect(fn).toHaveBeenCalledTimes(2);
  });

  it('gives up after five attempts', async () => {
    const fn = jest.fn().mockRejectedValue(gone);

    await expect(withRetry(systemContext('test'), fn)).rejects.toBe(gone);

    expect(fn).toHaveBeenCalledTimes(5);
  });

  it.each([
    ['an application error', conflict('no', { reason: 'CHANGED_MEANWHILE' })],
    ['overload', transportError(GrpcStatus.RESOURCE_EXHAUSTED, 'full')],
    ['a deadline', transportError(GrpcStatus.DEADLINE_EXCEEDED, 'late')],
  ])('does not repeat %s', async (_name, error) => {
    const fn = jest.fn().mockRejectedValue(error);

    await expect(withRetry(systemContext('test'), fn)).rejects.toBe(error);

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('does not begin what would start after the deadline', async () => {
    const fn = jest.fn().mockRejectedValue(gone);
    const ctx = systemContext('test', { deadline_at_ms: Date.now() + 20 });

    await expect(withRetry(ctx, fn)).rejects.toBe(gone);

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('does not go on after the caller gave up', async () => {
    const controller = new AbortController();
    const fn = jest.fn().mockRejectedValue(gone);
    const outcome = withRetry(systemContext('test', { signal: controller.signal }), fn);
    setImmediate(() => controller.abort());

    await expect(outcome).rejects.toBe(gone);

    expect(fn).toHaveBeenCalledTimes(1);
  });
});
