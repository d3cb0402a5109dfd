import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type System, startSystem } from '@credit/local/spawned-system';
import type { Run } from '../interleave';
import { servicePids } from '../world';
import type { BenchCase } from './case';

const READY_S = 6;
const MEMORY_MB = 450;
/** What a start made is collected, and what begins with it has ended. */
const IDLE_FOR_MS = 5_000;
const KB_A_MB = 1024;

/** What it takes to have the system at all. */
export const footprint: BenchCase = {
  name: 'footprint',
  title: 'The built system, as `npm start` runs it',
  bound_s: 60,
  async open() {
    let output = () => '';
    const start: Run = async () => {
      const started_at_ms = performance.now();
      const system = await startSystem({ LOG_LEVEL: 'warn' });
      output = () => system.output();
      try {
        const elapsed_s = (performance.now() - started_at_ms) / 1_000;
        await sleep(IDLE_FOR_MS);
        return { count: 1, elapsed_s, memory_mb: memoryOf(system) };
      } finally {
        await system.stop();
      }
    };
    const wanted: Run = () =>
      Promise.resolve({ count: 1, elapsed_s: READY_S, memory_mb: MEMORY_MB });
    const places = { system: 0, limit: 1, limit_name: 'what is wanted', target: 1 };
    return {
      contest: {
        runs: [start, wanted],
        comparisons: [
          {
            ...{ name: 'footprint-ready', title: `${footprint.title}: until it is ready` },
            ...{ ...places, unit: 's', measure: 'elapsed' },
          },
          {
            ...{
              name: 'footprint-memory',
              title: `${footprint.title}: memory of six idle services`,
            },
            ...{ ...places, unit: 'MB', measure: 'memory' },
          },
        ],
      },
      output: () => output(),
      stop: () => Promise.resolve(),
    };
  },
};

/** What the services hold between them: what two share counts once. */
function memoryOf(system: System): number {
  return servicePids(system).reduce((sum, pid) => {
    const [, kilobytes] =
      /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return sum + Number(kilobytes) / KB_A_MB;
  }, 0);
}
