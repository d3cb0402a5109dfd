import { type DisputeStatus, dueAtMs, isOverdue } from '../../src/domain/dispute';

const OPENED_AT_MS = Date.parse('2026-03-01T12:00:00.000Z');
const due_at = new Date(dueAtMs(OPENED_AT_MS, 'OTHER')).toISOString();

describe('deadline of a dispute', () => {
  test('is 30 days after it was opened', () => {
    expect(due_at).toBe('2026-03-31T12:00:00.000Z');
  });

  test('an unresolved one is overdue after it, a resolved one never', () => {
    const overdue = (status: DisputeStatus, now_ms: number) =>
      isOverdue({ status, due_at }, now_ms);
    for (const status of ['OPEN', 'UNDER_REVIEW'] as const) {
      expect(overdue(status, Date.parse(due_at))).toBe(false);
      expect(overdue(status, Date.parse(due_at) + 1)).toBe(true);
    }
    for (const status of ['RESOLVED_CORRECTED', 'RESOLVED_UPHELD', 'REJECTED'] as const) {
      expect(overdue(status, Date.parse(due_at) + 1)).toBe(false);
    }
  });
});
