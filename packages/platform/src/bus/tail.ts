import type { Receipt } from './publisher';
import { DUPLICATE_WINDOW_MS } from './stream';

/** The acknowledged message of an outbox that is the last of them in the stream. */
export interface Tail {
  readonly sequence: number;
  /** Since it was stored, at most. */
  readonly age_ms: number;
}

/** What it means where the stream has that message when it is sent again. */
export type TailFinding =
  /** Where it was: so is all that was acknowledged before it. */
  | 'whole'
  /** The stream does not hold it where it did. */
  | 'lost'
  /** It had been there for so long that the stream stored it once more. */
  | 'stored_again';

/** Clocks of the database and of NATS may differ by the rest. */
export const KNOWN_FOR_MS = DUPLICATE_WINDOW_MS - 60_000;

/**
 * A stream that loses its end keeps what comes before it, whatever it takes in afterwards. So one
 * message tells for all before it, and who has published more in between does not hide the loss:
 * sequences alone would say nothing once others have filled the gap.
 */
export function findingOf(tail: Tail, receipt: Receipt): TailFinding {
  if (receipt.duplicate && receipt.sequence === tail.sequence) return 'whole';
  if (receipt.sequence <= tail.sequence) return 'lost';
  return tail.age_ms < KNOWN_FOR_MS ? 'lost' : 'stored_again';
}
