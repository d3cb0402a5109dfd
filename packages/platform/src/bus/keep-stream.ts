import { type Bus, type BusOptions, connectBus } from './bus';
import { STREAM_KEEPER } from './rights';
import { bringUpToDate, type StreamChange } from './stream';

const REACH_TIMEOUT_MS = 60_000;

/** Who looks after the stream, and how long it waits for a server. */
export interface StreamKeeping extends Omit<BusOptions, 'name' | 'makes_stream'> {
  readonly reach_timeout_ms?: number;
}

/**
 * Makes the stream, or brings its settings up to date, and leaves. Services have no right to do
 * that: this runs before them, as {@link STREAM_KEEPER}.
 */
export async function keepStream(options: StreamKeeping): Promise<StreamChange> {
  const { reach_timeout_ms = REACH_TIMEOUT_MS, ...rest } = options;
  const bus = await connectBus({ ...rest, name: STREAM_KEEPER });
  try {
    // By now it was made if there was none.
    await reached(bus, reach_timeout_ms);
    return await bringUpToDate(await bus.manager(), options.limits ?? {});
  } finally {
    await bus.close();
  }
}

async function reached(bus: Bus, timeout_ms: number): Promise<void> {
  const until_ms = performance.now() + timeout_ms;
  while (bus.stream === undefined) {
    if (performance.now() >= until_ms) throw new Error('no NATS server let its keeper in');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
