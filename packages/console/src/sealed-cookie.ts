import { randomBytes } from 'node:crypto';
import { type KeyRing, SealError, sealSecret, unsealSecret } from '@credit/platform/credentials';
import type { Request, Response } from 'express';

/** Writes down values so that only a key of the ring reads them, each for one use alone. */
export class Sealer {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  seal(use: string, value: unknown): string {
    const { key_id, sealed } = sealSecret(this.#ring, use, JSON.stringify(value), randomBytes);
    return `${key_id}.${sealed.toString('base64url')}`;
  }

  /** Undefined for what was altered, sealed for another use, or by a key of somewhere else. */
  open(use: string, text: string): unknown {
    const at = text.indexOf('.');
    const sealed = Buffer.from(text.slice(at + 1), 'base64url');
    try {
      return JSON.parse(unsealSecret(this.#ring, use, { key_id: text.slice(0, at), sealed }));
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  }
}

/** No longer than a browser would keep one. */
const MAX_COOKIE_LENGTH = 4_096;

/** A cookie that browsers keep for this host alone, over TLS alone, and for no script. */
export class SealedCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(
    private readonly sealer: Sealer,
    /** What binds the seal to the cookie. */
    private readonly use: string,
    options: {
      readonly name: string;
      /** Lax where whoever comes back from elsewhere needs it. */
      readonly same_site: 'Strict' | 'Lax';
      /** As long as the browser is open, unless given. */
      readonly max_age_s?: number;
    },
  ) {
    this.#name = `__Host-${options.name}`;
    const kept = options.max_age_s === undefined ? '' : `; Max-Age=${options.max_age_s}`;
    this.#attributes = `Path=/; Secure; HttpOnly; SameSite=${options.same_site}${kept}`;
  }

  /** What a request brings; undefined when it is nothing that was sealed here. */
  read({ headers: { cookie } }: Request): unknown {
    for (const pair of (cookie ?? '').split('; ')) {
      const value = pair.startsWith(`${this.#name}=`) ? pair.slice(this.#name.length + 1) : '';
      if (value !== '' && value.length <= MAX_COOKIE_LENGTH) {
        return this.sealer.open(this.use, value);
      }
    }
    return undefined;
  }

  write(response: Response, value: unknown): void {
    this.#put(response, `${this.sealer.seal(this.use, value)}; ${this.#attributes}`);
  }

  end(response: Response): void {
    this.#put(response, `; ${this.#attributes.replace(/; Max-Age=\d+$/, '')}; Max-Age=0`);
  }

  /** Of two of a name in one answer the browser would keep either. */
  #put(response: Response, value: string): void {
    const others = [response.getHeader('Set-Cookie') ?? []]
      .flat()
      .map(String)
      .filter((cookie) => !cookie.startsWith(`${this.#name}=`));
    response.setHeader('Set-Cookie', [...others, `${this.#name}=${value}`]);
  }
}
