import type { OperationId } from '@credit/contract';
import type { Deliver } from '../api';
import { type PageParts, PublicVisit } from '../page';

/** Where people find their own files. */
export const MY = '/my';

/** A visit of a person who is in at the own file. */
export class PersonVisit extends PublicVisit {
  /** When the session is over; there is none after it without another proof. */
  readonly expires_at_ms: number;
  readonly #token: string | undefined;
  readonly #deliver: Deliver;

  constructor(parts: PageParts, expires_at_ms: number, deliver: Deliver) {
    super(parts);
    this.expires_at_ms = expires_at_ms;
    this.#token = parts.token;
    this.#deliver = deliver;
  }

  /** Answers with the document of an operation. */
  async send(id: OperationId): Promise<'SENT'> {
    await this.#deliver(id, {}, this.callerWith(this.#token));
    return 'SENT';
  }
}
