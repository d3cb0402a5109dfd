import { type Attributes, metrics } from '@opentelemetry/api';

const READ_TIMEOUT_MS = 1_000;

/** One value of a figure. */
export interface Reading<Name extends string> {
  readonly name: Name;
  readonly value: number;
  /** Never a subject, an institution or anything else that there are many of. */
  readonly attributes?: Attributes;
}

/**
 * Shows figures that cost something to find out: they are read together whenever metrics are
 * read. What cannot be read in time is left out, and the other metrics are shown.
 */
export function observeFigures<Name extends string>(
  meter_name: string,
  /** Descriptions by name. */
  figures: Readonly<Record<Name, string>>,
  read: () => Promise<readonly Reading<Name>[]>,
): void {
  const meter = metrics.getMeter(meter_name);
  const gauges = new Map(
    Object.entries<string>(figures).map(([name, description]) => [
      name,
      meter.createObservableGauge(name, { description }),
    ]),
  );
  meter.addBatchObservableCallback(
    async (result) => {
      for (const { name, value, attributes } of await within(read())) {
        const gauge = gauges.get(name);
        if (gauge !== undefined) result.observe(gauge, value, attributes);
      }
    },
    [...gauges.values()],
  );
}

async function within<T>(readings: Promise<readonly T[]>): Promise<readonly T[]> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<readonly T[]>((resolve) => {
    timer = setTimeout(resolve, READ_TIMEOUT_MS, []);
  });
  try {
    return await Promise.race([readings.catch(() => []), bound]);
  } finally {
    clearTimeout(timer);
  }
}
