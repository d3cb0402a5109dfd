import type { Verdict } from './attempt';

/**
 * An endpoint whose attempts failed this often in a row is left alone for a
 * while, then tried with one delivery at a time until one succeeds. Waiting for
 * an open circuit uses up no attempts.
 */
export const FAILURES_TO_OPEN = 5;

/** Deliveries in flight at one endpoint. */
export const MAX_IN_FLIGHT_PER_ENDPOINT = 8;

/** What a series of verdicts says about an endpoint. */
export interface EndpointReport {
  /** A success closes the circuit and starts the count anew. */
  readonly succeeded: boolean;
  /** Failures since the last success of the series. */
  readonly failures: number;
  /** How long the circuit stays open if those failures open it. */
  readonly open_ms: number;
}

/**
 * Sums up an endpoint's verdicts in the order they came. The circuit never
 * stays open longer than the failed delivery itself has to wait.
 */
export function reportEndpoint(verdicts: readonly Verdict[], base_ms: number): EndpointReport {
  let report: EndpointReport = { succeeded: false, failures: 0, open_ms: base_ms };
  for (const verdict of verdicts) {
    if (verdict.kind === 'delivered') {
      report = { succeeded: true, failures: 0, open_ms: base_ms };
    } else {
      const own_ms = verdict.kind === 'retry' ? verdict.delay_ms : base_ms;
      report = {
        succeeded: report.succeeded,
        failures: report.failures + 1,
        open_ms: Math.min(report.open_ms, own_ms),
      };
    }
  }
  return report;
}
