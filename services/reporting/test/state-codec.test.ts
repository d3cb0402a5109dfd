import { decodeState, encodeState } from '../src/store/state-codec';
import { Book, event } from './builders';

test('a state survives its way through JSON', () => {
  const book = new Book({ organisation: true });
  book.report(event('LIMIT_CHANGED', 1, { amount_minor: 5n }));
  book.report(event('PAYMENT_LATE', 2));
  book.report(event('PARTIAL_PAYMENT', 9, { amount_minor: 2n ** 60n }));
  book.report(event('DISPUTE_OPENED', 10));
  book.report(event('DEFAULT_REPORTED', 40, { default_severity: 'CRITICAL' }));
  expect(decodeState(JSON.parse(encodeState(book.state)), true)).toEqual(book.state);
});
