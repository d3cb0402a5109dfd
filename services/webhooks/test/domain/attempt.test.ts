import fc from 'fast-check';
import {
  type AttemptResult,
  errorClass,
  explainFailure,
  judgeAttempt,
} from '../../src/domain/attempt';

const SETTINGS = { base_ms: 60_000, chance: 0, now_ms: Date.parse('2026-03-01T12:00:00Z') };
const answered = (status: number, retry_after?: string): AttemptResult => ({
  kind: 'answered',
  status,
  retry_after,
});

describe('what follows from an attempt', () => {
  test('any 2xx delivers, even on the last attempt', () => {
    for (const status of [200, 201, 202, 204, 299]) {
      expect(judgeAttempt(8, answered(status), SETTINGS)).toEqual({ kind: 'delivered' });
    }
  });

  test('any other answer and any silence is tried again', () => {
    for (const status of [301, 302, 304, 307, 308, 400, 401, 404, 429, 500, 503, 599]) {
      const verdict = judgeAttempt(1, answered(status), SETTINGS);
      expect(verdict).toEqual({ kind: 'retry', delay_ms: 60_000 });
    }
    const verdict = judgeAttempt(2, { kind: 'unanswered', error: 'TIMEOUT' }, SETTINGS);
    expect(verdict).toEqual({ kind: 'retry', delay_ms: 180_000 });
  });

  test('410 ends the subscription, on whichever attempt', () => {
    expect(judgeAttempt(1, answered(410), SETTINGS)).toEqual({ kind: 'gone' });
    expect(judgeAttempt(8, answered(410), SETTINGS)).toEqual({ kind: 'gone' });
  });

  test('the eighth failure is the last', () => {
    expect(judgeAttempt(7, answered(500), SETTINGS).kind).toBe('retry');
    expect(judgeAttempt(8, answered(500), SETTINGS)).toEqual({ kind: 'exhausted' });
  });

  test('Retry-After lengthens a wait and never shortens it', () => {
    const delay = (attempt: number, header: string) =>
      judgeAttempt(attempt, answered(429, header), SETTINGS);
    expect(delay(1, '600')).toEqual({ kind: 'retry', delay_ms: 600_000 });
    expect(delay(1, '5')).toEqual({ kind: 'retry', delay_ms: 60_000 });
    expect(delay(1, '90000')).toEqual({ kind: 'retry', delay_ms: 3_600_000 });
    expect(delay(1, 'whenever')).toEqual({ kind: 'retry', delay_ms: 60_000 });
  });

  test('no schedule exceeds eight attempts or an hour between two', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 300, max: 599 }), fc.string()), {
          minLength: 8,
          maxLength: 8,
        }),
        (answers) => {
          for (const [index, [status, header]] of answers.entries()) {
            const verdict = judgeAttempt(index + 1, answered(status, header), SETTINGS);
            if (verdict.kind === 'retry') expect(verdict.delay_ms).toBeLessThanOrEqual(3_600_000);
            if (index === 7) expect(['exhausted', 'gone']).toContain(verdict.kind);
          }
        },
      ),
    );
  });

  test('failures are explained without a word of the receiver', () => {
    expect(explainFailure(answered(302))).toContain('redirects are not followed');
    expect(explainFailure(answered(500))).toBe('The receiver answered 500.');
    expect(explainFailure({ kind: 'unanswered', error: 'TLS_FAILED' })).toContain('TLS');
    expect(errorClass(answered(500))).toBe('HTTP_STATUS');
    expect(errorClass({ kind: 'unanswered', error: 'TIMEOUT' })).toBe('TIMEOUT');
  });
});
