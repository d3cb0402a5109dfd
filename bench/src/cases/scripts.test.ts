import { script as bulkEvents } from './bulk-events';
import { script as profileRead } from './profile-read';
import { script as singleEvent } from './single-event';

// A statement that gained a parameter is noticed here, not at the next measurement.
test.each([
  ['bulk-events', bulkEvents],
  ['profile-read', profileRead],
  ['single-event', singleEvent],
])('the script of %s gives every parameter of its statements a value', (_name, script) => {
  expect(script()).not.toMatch(/\$\d/);
});
