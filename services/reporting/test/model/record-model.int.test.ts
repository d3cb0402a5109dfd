// The running service and the model agree on random histories, and what is stored agrees with what
// is replayed and told. `HISTORIES=1000` tries more of them.

import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { verifyRecordCommand } from '../../src/operator/verify-record-command';
import { institution, useHarness } from '../harness';
import { countedOf } from '../support/counted';
import { BEGUN_AT_MS, drawnHistory, follow, type Snapshot, type Tally } from './histories';
import { ServiceBook } from './service-book';

const HISTORIES = Number(process.env.HISTORIES ?? 150);
const harness = useHarness();

/** Days past due of what is over are not told to anyone. */
function withoutDays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('spells' in value)) return value;
  const { spells, ...rest } = value as Snapshot;
  return { ...rest, spells: spells.map(([from, until]) => [from, until]) };
}

test(`a model that folds from scratch agrees with the service on ${HISTORIES} histories`, async () => {
  const tally: Tally = new Map();
  const agree = (product: unknown, model: unknown, step = 'a rehearsal') =>
    expect({ step, is: withoutDays(product) }).toEqual({ step, is: withoutDays(model) });
  await fc.assert(
    fc.asyncProperty(drawnHistory(25), async (history) => {
      const book = new ServiceBook(harness, agree);
      await follow(history, book, { uuid: () => randomUUID(), agree, tally, everyStep: false });
      const { told, read } = await book.projections();
      expect(told).toEqual(read);
    }),
    { numRuns: HISTORIES },
  );
  harness.clock.now_ms = () => BEGUN_AT_MS;
  const lines: string[] = [];
  const right = await verifyRecordCommand(harness, [], (line) => lines.push(line));
  expect({ right, lines }).toMatchObject({ right: true });
  const institutions = await harness.rows<{ id: string }>(
    'live',
    'SELECT DISTINCT institution_id AS id FROM accounts',
  );
  expect(institutions.length).toBeGreaterThan(0);
  for (const { id } of institutions) {
    const summary = await harness.reporting.getAccountSummary(institution(id), {});
    expect(summary).toEqual(await countedOf(harness, id));
  }
  if (process.env.TALLY !== undefined) console.log(tally);
}, 600_000);
