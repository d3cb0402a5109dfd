import autocannon from 'autocannon';
import type { Slice } from './interleave';

/** One request of a load. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** How a slice of HTTP load is run. */
export interface LoadOptions {
  readonly base_url: string;
  readonly connections: number;
  readonly slice_s: number;
  /** Makes the next request. */
  readonly next: () => LoadRequest;
}

/** Sends requests one after another on each connection; any answer but 2xx ends the run. */
export async function load(options: LoadOptions): Promise<Slice> {
  const result = await autocannon({
    url: options.base_url,
    connections: options.connections,
    duration: options.slice_s,
    timeout: 10,
    requests: [
      {
        setupRequest(request) {
          const next = options.next();
          return { ...request, ...next, path: next.path };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0 || result.timeouts > 0) {
    const statuses = Object.entries(result.statusCodeStats ?? {})
      .map(([status, { count }]) => `${count} of ${status}`)
      .join(', ');
    throw new Error(
      `The load met ${result.errors} errors, ${result.timeouts} timeouts and answers: ${statuses}.`,
    );
  }
  return {
    count: result['2xx'],
    elapsed_s: result.duration,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
  };
}
