// The order of test files. Without times of earlier runs jest takes the largest files first; what takes
// longest here is small: begun last, it would have the other processor wait for it.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = ['e2e/journeys/faults.test.ts'];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const isLongest = ({ path }) => LONGEST.some((file) => path.endsWith(file));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLongest), ...sorted.filter((test) => !isLongest(test))];
  }
};
