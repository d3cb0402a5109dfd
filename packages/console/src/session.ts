import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@credit/platform/credentials';
import type { Clock } from '@credit/platform/runtime';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SealedCookie, Sealer } from './sealed-cookie';

/** What binds the seal to its use: a form's token opens no session. */
const SESSION = 'console session';
const VISITOR = 'console visitor';

const IDLE_MS = 30 * 60_000;
const LONGEST_MS = 12 * 3_600_000;
/** How old the cookie's time may get before it is written anew. */
const TOUCH_MS = 60_000;
/** A token that has no longer than this is renewed before it is used. */
const RENEW_BEFORE_MS = 30_000;

const content = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  /** When the access token is over. */
  expires_at_ms: z.number(),
  began_at_ms: z.number(),
  seen_at_ms: z.number(),
  form_token: z.string(),
});

/** A reader's session, as the sealed cookie holds it. */
export type Session = z.output<typeof content>;

/** The pair that sign-in and refresh give. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** Keeps sessions in cookies that only a key of the ring opens. */
export class SessionCookies {
  readonly #sealer: Sealer;
  readonly #cookie: SealedCookie;
  readonly #clock: Clock;

  constructor(ring: KeyRing, clock: Clock) {
    this.#sealer = new Sealer(ring);
    this.#cookie = new SealedCookie(this.#sealer, SESSION, {
      name: 'console',
      same_site: 'Strict',
    });
    this.#clock = clock;
  }

  /** The session of a request; undefined without one, or when it has been idle or open too long. */
  read(request: Request): Session | undefined {
    const session = content.safeParse(this.#cookie.read(request)).data;
    if (session === undefined) return undefined;
    const now_ms = this.#clock.now_ms();
    const is_over =
      now_ms - session.seen_at_ms > IDLE_MS || now_ms - session.began_at_ms > LONGEST_MS;
    return is_over ? undefined : session;
  }

  begin(response: Response, tokens: Tokens): Session {
    const now_ms = this.#clock.now_ms();
    return this.#write(response, {
      ...held(tokens, now_ms),
      began_at_ms: now_ms,
      seen_at_ms: now_ms,
      form_token: randomBytes(18).toString('base64url'),
    });
  }

  /** With the next pair in place of the last. */
  renew(response: Response, session: Session, tokens: Tokens): Session {
    const now_ms = this.#clock.now_ms();
    return this.#write(response, { ...session, ...held(tokens, now_ms), seen_at_ms: now_ms });
  }

  /** Notes that the reader is still there. */
  touch(response: Response, session: Session): void {
    const now_ms = this.#clock.now_ms();
    if (now_ms - session.seen_at_ms > TOUCH_MS) {
      this.#write(response, { ...session, seen_at_ms: now_ms });
    }
  }

  needsRenewal({ expires_at_ms }: Session): boolean {
    return expires_at_ms - this.#clock.now_ms() < RENEW_BEFORE_MS;
  }

  end(response: Response): void {
    this.#cookie.end(response);
  }

  /** For the forms of whoever is not signed in. */
  visitorToken(): string {
    return this.#sealer.seal(VISITOR, { made_at_ms: this.#clock.now_ms() });
  }

  isVisitorToken(token: string): boolean {
    const made = z
      .object({ made_at_ms: z.number() })
      .safeParse(this.#sealer.open(VISITOR, token)).data;
    return made !== undefined && this.#clock.now_ms() - made.made_at_ms < LONGEST_MS;
  }

  #write(response: Response, session: Session): Session {
    this.#cookie.write(response, session);
    return session;
  }
}

/** Whether a form's token is the session's, without telling by its time how much of it is. */
export function isFormToken(session: Pick<Session, 'form_token'>, token: string): boolean {
  const [own, given] = [Buffer.from(session.form_token), Buffer.from(token)];
  return own.length === given.length && timingSafeEqual(own, given);
}

function held({ access_token, refresh_token, expires_in }: Tokens, now_ms: number) {
  return { access_token, refresh_token, expires_at_ms: now_ms + expires_in * 1_000 };
}
