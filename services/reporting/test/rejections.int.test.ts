import { randomUUID } from 'node:crypto';
import { systemContext } from '@credit/platform/context';
import { MAX_ROWS_A_DAY, sweepRejections } from '../src/store/rejections';
import { institution, refusal, useHarness } from './harness';

const harness = useHarness();

const DAY_MS = 86_400_000;
const gateway = systemContext('live');

const cause = (institution_id: string, change: object = {}) => ({
  institution_id,
  operation: 'reportEvents',
  reason: 'INVALID_FIELDS',
  field: 'events[].amount',
  count: 1n,
  request_id: 'one',
  ...change,
});
const count = (...rejections: ReturnType<typeof cause>[]) =>
  harness.reporting.countRejections(gateway, { rejections });
const listed = async (ctx: ReturnType<typeof institution>, limit = 0) =>
  (await harness.reporting.listRejections(ctx, { limit })).rejections;

test('are counted by day and cause, the most frequent of a day first', async () => {
  const [lender, neighbour] = [institution(), institution()];
  const { institution_id: id } = lender;
  await count(cause(id), cause(id, { field: 'events[].occurred_at', count: 5n }));
  await count(cause(id, { count: 2n, request_id: 'two' }), cause(neighbour.institution_id));
  // The same cause twice in one call.
  await count(cause(id, { field: '' }), cause(id, { field: '', request_id: 'three' }));
  expect(await listed(lender)).toMatchObject([
    { field: 'events[].occurred_at', count: 5n },
    { field: 'events[].amount', count: 3n, request_id: 'two', operation: 'reportEvents' },
    { field: '', count: 2n, request_id: 'three' },
  ]);
  expect(await listed(neighbour)).toHaveLength(1);
  expect(await listed(lender, 1)).toHaveLength(1);
  expect(await listed({ ...lender, environment: 'test' })).toEqual([]);
});

test('have a bound a day: what goes beyond is counted together', async () => {
  const lender = institution();
  const { institution_id: id } = lender;
  const many = (from: number, length: number) =>
    Array.from({ length }, (_, n) => cause(id, { field: `field_${from + n}` }));
  await count(...many(0, 150));
  await count(...many(100, 300));
  const rows = await listed(lender, MAX_ROWS_A_DAY);
  expect(rows).toHaveLength(MAX_ROWS_A_DAY);
  const [together] = rows;
  // 50 were known, 50 had room.
  expect(together).toMatchObject({ operation: '', reason: '', field: '', count: 200n });
});

test('are shown for seven days and swept then', async () => {
  const lender = institution();
  await count(cause(lender.institution_id));
  harness.clock.offset_ms += 6 * DAY_MS;
  expect(await listed(lender)).toHaveLength(1);
  harness.clock.offset_ms += DAY_MS;
  expect(await listed(lender)).toEqual([]);
  harness.clock.offset_ms -= 7 * DAY_MS;
  await harness.rows(
    'live',
    `UPDATE rejections SET day = day - 7 WHERE institution_id = $1 RETURNING day`,
    [lender.institution_id],
  );
  expect(await sweepRejections(harness.db.read(gateway), 1_000)).toBeGreaterThan(0);
});

test('are refused when they are none', async () => {
  const id = randomUUID();
  for (const wrong of [
    cause('x'),
    cause(id, { count: 0n }),
    cause(id, { field: 'x'.repeat(200) }),
    cause(id, { reason: '\0' }),
  ]) {
    expect(await refusal(count(wrong))).toMatchObject({ code: 'VALIDATION_ERROR' });
  }
});
