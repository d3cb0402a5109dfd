import { createServer } from 'node:net';

/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** What a process shows at /metrics. */
export async function readMetrics(port: number): Promise<Sample[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
      if (name === '') throw new Error(`This is no sample: ${line}`);
      return {
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(LABEL)].map(([, key = '', label = '']) => [key, label]),
        ),
        value: Number(value),
      };
    });
}

const FIRST = 20_000;
const SPAN = 10_000;

/** The first of a row of ports that are free. */
export async function freePortRow(length: number): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = FIRST + Math.floor(Math.random() * SPAN);
    const row = Array.from({ length }, (_, index) => first + index);
    const free = await Promise.all(row.map(isFree));
    if (free.every(Boolean)) return first;
  }
  throw new Error('No row of ports is free.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
