import type { Entry } from './journal';
import { figuresOf } from './recovery';
import { lastOf, type Timed, timedOf } from './timed';

const WIDTH = 1_200;
const PLOT = { top: 90, height: 220, gap: 30, latency: 120 };
const BUCKET_MS = 1_000;

/** The run as a time line: what succeeded and failed each second, how long it took, and the faults. */
export function drawRun(entries: readonly Entry[]): string {
  const timed = timedOf(entries);
  const { faults } = figuresOf(entries);
  const end_ms = lastOf(timed, ({ got_ms }) => got_ms, 1);
  const x = (at_ms: number) => Math.round((at_ms / end_ms) * WIDTH);
  const buckets = bucketsOf(timed);
  const most = Math.max(1, ...buckets.map(({ good, bad }) => good + bad));
  const slowest_ms = Math.max(1, ...buckets.map(({ p99_ms }) => p99_ms));
  const bottom = PLOT.top + PLOT.height;
  const latency_bottom = bottom + PLOT.gap + PLOT.latency;
  const parts: string[] = [];
  for (const [index, { name, began_ms, lasted_ms }] of faults.entries()) {
    const width = Math.max(2, x(began_ms + lasted_ms) - x(began_ms));
    parts.push(
      `<rect x="${x(began_ms)}" y="${PLOT.top}" width="${width}" height="${latency_bottom - PLOT.top}" fill="#f2c14e" opacity="0.35"/>`,
      `<text x="${x(began_ms) + 2}" y="${20 + (index % 5) * 13}">${escaped(name)}</text>`,
    );
  }
  const bar = Math.max(1, x(BUCKET_MS) - 1);
  for (const [index, { good, bad, p99_ms }] of buckets.entries()) {
    const left = x(index * BUCKET_MS);
    const of = (count: number) => Math.round((count / most) * PLOT.height);
    parts.push(
      `<rect x="${left}" y="${bottom - of(good)}" width="${bar}" height="${of(good)}" fill="#4a7c59"/>`,
      `<rect x="${left}" y="${bottom - of(good + bad)}" width="${bar}" height="${of(bad)}" fill="#b3261e"/>`,
    );
    const height = Math.round((p99_ms / slowest_ms) * PLOT.latency);
    parts.push(
      `<rect x="${left}" y="${latency_bottom - height}" width="${bar}" height="${height}" fill="#3d5a80"/>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${latency_bottom + 24}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
${parts.join('\n')}
<text x="2" y="${bottom + 14}">requests a second, at most ${most}: answered (green), not (red)</text>
<text x="2" y="${latency_bottom + 16}">99th percentile of a second, at most ${slowest_ms} ms; ${Math.round(end_ms / 1_000)} s from left to right</text>
</svg>
`;
}

function bucketsOf(timed: readonly Timed[]) {
  const by_second = Map.groupBy(timed, ({ got_ms }) => Math.floor(got_ms / BUCKET_MS));
  const last = Math.max(0, ...by_second.keys());
  return Array.from({ length: last + 1 }, (_, second) => {
    const here = by_second.get(second) ?? [];
    const took = here.map(({ took_ms }) => took_ms).sort((a, b) => a - b);
    return {
      good: here.filter(({ outcome }) => outcome === 'answered').length,
      bad: here.filter(({ outcome }) => outcome !== 'answered').length,
      p99_ms: took[Math.floor(took.length * 0.99)] ?? 0,
    };
  });
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
