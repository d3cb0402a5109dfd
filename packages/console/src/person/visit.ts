import { type PageParts, PublicVisit } from '../page';

/** Where people find their own files. */
export const MY = '/my';

/** A visit of a person who is in at the own file. */
export class PersonVisit extends PublicVisit {
  /** When the session is over; there is none after it without another proof. */
  readonly expires_at_ms: number;

  constructor(parts: PageParts, expires_at_ms: number) {
    super(parts);
    this.expires_at_ms = expires_at_ms;
  }
}
