import type { Verdict } from '../../src/domain/attempt';
import { reportEndpoint } from '../../src/domain/circuit';

const OK: Verdict = { kind: 'delivered' };
const retry = (delay_ms: number): Verdict => ({ kind: 'retry', delay_ms });

describe('what a series of attempts says about an endpoint', () => {
  test('failures add up, a success starts anew', () => {
    const series = [retry(60_000), OK, retry(50_000), { kind: 'exhausted' } as const];
    expect(reportEndpoint(series, 60_000)).toEqual({
      succeeded: true,
      failures: 2,
      open_ms: 50_000,
    });
    expect(reportEndpoint([retry(55_000)], 60_000)).toMatchObject({
      succeeded: false,
      failures: 1,
    });
    expect(reportEndpoint([retry(55_000), OK], 60_000)).toMatchObject({ failures: 0 });
  });

  test('the circuit is never open longer than a failed delivery waits itself', () => {
    expect(reportEndpoint([retry(48_000), retry(3_600_000)], 60_000).open_ms).toBe(48_000);
    expect(reportEndpoint([retry(3_600_000)], 60_000).open_ms).toBe(60_000);
  });
});
