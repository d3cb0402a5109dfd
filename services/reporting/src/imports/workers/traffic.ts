// What requests take beside imports: an import leaves them room when there are any.

import type { ServiceRegistration } from '@credit/platform/rpc';

/** How long this process has spent on requests, those side by side each counted. */
export class Traffic {
  private spent_ms = 0;

  /** The same service, its calls counted. */
  counted(service: ServiceRegistration): ServiceRegistration {
    return {
      ...service,
      methods: service.methods.map((method) => ({
        ...method,
        handler: async (ctx, request) => {
          const begun_ms = performance.now();
          try {
            return await method.handler(ctx, request);
          } finally {
            this.spent_ms += performance.now() - begun_ms;
          }
        },
      })),
    };
  }

  /** Begins to look; the answer says what was spent on requests since. */
  look(): () => number {
    const before_ms = this.spent_ms;
    return () => this.spent_ms - before_ms;
  }
}

const LONGEST_REST_MS = 5_000;

/**
 * How long an import rests after a batch. Beside a process that is busy with requests, so much longer
 * than it worked as it may work less than all the time; beside an idle one not at all. Replicas have the
 * same share of the requests, so that one's tells of the database that they share.
 */
export function restMs(load_percent: number, took_ms: number, requests_ms: number): number {
  if (took_ms <= 0) return 0;
  const busy = Math.min(1, requests_ms / took_ms);
  const full_ms = (took_ms * (100 - load_percent)) / load_percent;
  return Math.min(busy * full_ms, LONGEST_REST_MS);
}
