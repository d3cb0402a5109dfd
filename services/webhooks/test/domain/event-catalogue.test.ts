import { parseEventNames } from '../../src/domain/event-catalogue';

const refusal = (path: string) =>
  expect.objectContaining({
    code: 'VALIDATION_ERROR',
    details: expect.arrayContaining([expect.objectContaining({ path })]),
  });

describe('event names of a subscription', () => {
  test('known names are accepted in the order given', () => {
    const names = ['credit.delinquency.reported', 'credit.default.reported'];
    expect(parseEventNames(names)).toEqual(names);
  });

  test('none at all, unknown ones, the test event and repetitions are refused', () => {
    expect(() => parseEventNames([])).toThrow(refusal('events'));
    expect(() => parseEventNames(['svc.test'])).toThrow(refusal('events[0]'));
    expect(() => parseEventNames(['credit.default.reported', 'credit.default'])).toThrow(
      refusal('events[1]'),
    );
    expect(() => parseEventNames(['credit.default.reported', 'credit.default.reported'])).toThrow(
      refusal('events[1]'),
    );
    expect(() => parseEventNames(new Array(10_000).fill('credit.default.reported'))).toThrow(
      refusal('events[1]'),
    );
  });
});
