import { status as GrpcStatus } from '@grpc/grpc-js';

import { AppError, ERRORS, type ErrorCode, invalid, unavailable } from '../errors';
import {
  decodeErrorTrailer,
  encodeErrorTrailer,
  failureOf,
  isRetryable,
  plainFailure,
  RpcError,
  restoreError,
  SHED,
  transportError,
} from './rpc-error';

const PATH = '/credit.disputes.v1.DisputesService/OpenDispute';

describe('an error on its way', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('keeps %s and the status of the table', (code) => {
    const thrown = new AppError(code, 'said', { details: [{ path: 'a', message: 'b' }] });

    const failure = failureOf(thrown);

    expect(failure?.status).toBe(ERRORS[code].grpc_status);
    expect(restoreError(failure ?? SHED, PATH)).toMatchObject({
      code,
      message: 'said',
      details: [{ path: 'a', message: 'b' }],
      retry_after_s: undefined,
    });
  });

  it('says that unavailability may be retried', () => {
    const failure = failureOf(unavailable('later', 2));

    expect(failure?.status).toBe(GrpcStatus.UNAVAILABLE);
  });

  it('keeps the status it came with when a handler hands it on', () => {
    const late = transportError(GrpcStatus.DEADLINE_EXCEEDED, 'reporting did not answer');

    const failure = failureOf(late);

    expect(failure?.status).toBe(GrpcStatus.DEADLINE_EXCEEDED);
    expect(JSON.stringify(failure)).not.toContain('reporting');
  });

  it('is nothing to be shown when it is not an application error', () => {
    expect(failureOf(new Error('secret'))).toBeUndefined();
    expect(failureOf('secret')).toBeUndefined();
  });

  it('becomes an internal error when the peer sent no code, or one that is unknown here', () => {
    const plain = restoreError(plainFailure(GrpcStatus.NOT_FOUND, 'x'), PATH);
    const newer = restoreError(
      {
        status: GrpcStatus.NOT_FOUND,
        message: 'x',
        error: {
          code: 'toString',
          message: 'x',
          details: [],
          retry_after_s: 0,
          allowed_event_types: [],
        },
      },
      PATH,
    );

    for (const error of [plain, newer]) {
      expect(error.code).toBe('INTERNAL_ERROR');
      expect(error.message).toBe('An internal error occurred.');
      expect(error.grpc_status).toBe(GrpcStatus.NOT_FOUND);
    }
  });

  it.each([
    [GrpcStatus.UNAVAILABLE, true, 1],
    [GrpcStatus.DEADLINE_EXCEEDED, false, 1],
    [GrpcStatus.RESOURCE_EXHAUSTED, false, 1],
    [GrpcStatus.CANCELLED, false, undefined],
    [GrpcStatus.INTERNAL, false, undefined],
  ])('with status %i: retryable %s', (status, retryable, retry_after_s) => {
    const error = transportError(status, 'why');

    expect(isRetryable(error)).toBe(retryable);
    expect(error.retry_after_s).toBe(retry_after_s);
    expect(error.code).toBe('INTERNAL_ERROR');
  });

  it('is not retryable when it did not come from a call', () => {
    expect(isRetryable(new Error('x'))).toBe(false);
    expect(isRetryable(unavailable('x'))).toBe(false);
    expect(isRetryable(new RpcError(GrpcStatus.NOT_FOUND, 'NOT_FOUND', 'x'))).toBe(false);
  });
});

describe('the error trailer', () => {
  it('brings an error back', () => {
    const error = failureOf(invalid('amount', 'must be positive'))?.error;
    if (error === undefined) throw new Error('expected an application error');

    expect(decodeErrorTrailer(encodeErrorTrailer(error))).toEqual(error);
  });

  it('keeps within a header block and says what was cut', () => {
    const details = Array.from({ length: 1_000 }, (_, index) => ({
      path: `events[${index}].amount`,
      message: 'must be positive',
    }));
    const value = encodeErrorTrailer({
      code: 'VALIDATION_ERROR',
      message: 'Validation failed',
      details,
      retry_after_s: 0,
      allowed_event_types: [],
    });

    expect(value.length).toBeLessThanOrEqual(6 * 1024);
    const kept = decodeErrorTrailer(value)?.details ?? [];
    expect(kept.slice(0, -1)).toEqual(details.slice(0, kept.length - 1));
    expect(kept.at(-1)?.message).toBe(`and ${1_000 - (kept.length - 1)} more`);
  });

  it('is ignored when it cannot be read', () => {
    expect(decodeErrorTrailer(undefined)).toBeUndefined();
    expect(decodeErrorTrailer('text')).toBeUndefined();
    expect(decodeErrorTrailer(Buffer.from([0x0a, 0xff]))).toBeUndefined();
  });
});
