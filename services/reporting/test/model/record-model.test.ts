// The pure domain and the model agree on random histories. `HISTORIES=10000` tries more of them.

import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { DomainBook, uuidOf } from './domain-book';
import { drawnHistory, follow, type Tally } from './histories';

/** What a thousand histories come by: otherwise they would show nothing of it. */
const SEEN = [
  'event ACCEPTED',
  'event REINSERTION',
  'dry event ACCEPTED',
  'batch ACCEPTED',
  'batch INVALID_STATE_TRANSITION',
  'corrected',
  'terms corrected',
  'account void',
  'account revived',
  'outcome ACCEPTED',
  'outcome ACCEPTED linked',
  'outcome ACCEPTED with a replacement',
  'outcome REPEATED',
  'reinserted',
  'review ACCEPTED',
];

const HISTORIES = Number(process.env.HISTORIES ?? 1_000);

test(`a model that folds from scratch agrees with the record on ${HISTORIES} histories`, async () => {
  const tally: Tally = new Map();
  await fc.assert(
    fc.asyncProperty(drawnHistory(40), async (history) => {
      const book = new DomainBook();
      await follow(history, book, {
        uuid: (number) => uuidOf(1_000_000 + number),
        agree: (product, model, step) => {
          // It is asked often: the slow comparison, which explains itself, is for what differs.
          if (!isDeepStrictEqual(product, model)) {
            expect({ step, is: product }).toEqual({ step, is: model });
          }
        },
        tally,
        everyStep: true,
      });
      const { replayed, kept } = book.replayed();
      expect(replayed.state).toEqual(kept.account.state);
      expect(replayed.history?.records).toEqual(kept.records);
    }),
    { numRuns: HISTORIES },
  );
  if (HISTORIES >= 1_000) expect(SEEN.filter((what) => !tally.has(what))).toEqual([]);
  if (process.env.TALLY !== undefined) console.log(tally);
}, 600_000);
