import { eventSubject, parseSubject, typeFilter } from './subjects';

describe('subjects', () => {
  it('carry environment, partition and type, and are read back', () => {
    const subject = eventSubject('live', 7, 'account_changed');
    expect(subject).toBe('credit.v1.live.p07.account_changed');
    expect(parseSubject(subject)).toEqual({
      environment: 'live',
      partition: 7,
      type: 'account_changed',
    });
  });

  it('are filtered by type over both environments and all partitions', () => {
    expect(typeFilter('audit_recorded')).toBe('credit.v1.*.*.audit_recorded');
  });

  it.each([
    'credit.v1.staging.p07.account_changed',
    'credit.v2.live.p07.account_changed',
    'credit.v1.live.7.account_changed',
    'credit.v1.live.p07',
    'credit.v1.live.p07.account_changed.more',
    '',
  ])('that are not events are refused: %s', (subject) => {
    expect(parseSubject(subject)).toBeUndefined();
  });
});
