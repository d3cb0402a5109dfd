import { randomBytes } from 'node:crypto';
import type { KeyRing } from '@credit/platform/credentials';
import type { Clock } from '@credit/platform/runtime';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SealedCookie, Sealer } from '../sealed-cookie';

const content = z.object({
  access_token: z.string(),
  environment: z.enum(['live', 'test']),
  expires_at_ms: z.number(),
  form_token: z.string(),
});

/** A person's session at the own file, as the sealed cookie holds it. */
export type PersonSession = z.output<typeof content>;

/** What a link or a sign-in gives. */
export interface PersonTokens {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly environment: 'live' | 'test';
}

const signIn = z.object({ sign_in_token: z.string() });
/** As long as the network waits for whoever signs in. */
const SIGN_IN_S = 600;

/** Keeps sessions of persons, and sign-ins that are on their way, in sealed cookies. */
export class PersonCookies {
  readonly #session: SealedCookie;
  readonly #sign_in: SealedCookie;
  readonly #clock: Clock;

  constructor(ring: KeyRing, clock: Clock) {
    const sealer = new Sealer(ring);
    this.#session = new SealedCookie(sealer, 'person session', {
      name: 'person',
      same_site: 'Strict',
    });
    // The browser comes back with it from the provider.
    this.#sign_in = new SealedCookie(sealer, 'person sign-in', {
      name: 'person-sign-in',
      same_site: 'Lax',
      max_age_s: SIGN_IN_S,
    });
    this.#clock = clock;
  }

  /** Undefined without one, or when it is over. */
  read(request: Request): PersonSession | undefined {
    const session = content.safeParse(this.#session.read(request)).data;
    if (session === undefined || session.expires_at_ms <= this.#clock.now_ms()) return undefined;
    return session;
  }

  begin(response: Response, { access_token, expires_in, environment }: PersonTokens): void {
    const session: PersonSession = {
      access_token,
      environment,
      expires_at_ms: this.#clock.now_ms() + expires_in * 1_000,
      form_token: randomBytes(18).toString('base64url'),
    };
    this.#session.write(response, session);
  }

  end(response: Response): void {
    this.#session.end(response);
  }

  beginSignIn(response: Response, sign_in_token: string): void {
    this.#sign_in.write(response, { sign_in_token });
  }

  /** Of the sign-in that this browser began; it is forgotten with this answer. */
  takeSignIn(request: Request, response: Response): string | undefined {
    const begun = signIn.safeParse(this.#sign_in.read(request)).data;
    if (begun !== undefined) this.#sign_in.end(response);
    return begun?.sign_in_token;
  }
}
