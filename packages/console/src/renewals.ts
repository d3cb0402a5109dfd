import { isAppError } from '@credit/platform/errors';
import type { Request, Response } from 'express';
import type { Invoke } from './api';
import type { Session, SessionCookies } from './session';

/** Renews the tokens of sessions, once for all requests of a page that come at the same time. */
export class Renewals {
  readonly #invoke: Invoke;
  readonly #cookies: SessionCookies;
  /** By refresh token, while the answer is on its way. */
  readonly #waiting = new Map<string, ReturnType<Renewals['refresh']>>();

  constructor(invoke: Invoke, cookies: SessionCookies) {
    this.#invoke = invoke;
    this.#cookies = cookies;
  }

  /** The session with a token that lasts; undefined when it was ended elsewhere. */
  async renewed(
    request: Request,
    response: Response,
    request_id: string,
    session: Session,
  ): Promise<Session | undefined> {
    if (!this.#cookies.needsRenewal(session)) {
      this.#cookies.touch(response, session);
      return session;
    }
    const { refresh_token } = session;
    let waiting = this.#waiting.get(refresh_token);
    if (waiting === undefined) {
      waiting = this.refresh(request, response, request_id, refresh_token).finally(() =>
        this.#waiting.delete(refresh_token),
      );
      this.#waiting.set(refresh_token, waiting);
    }
    const tokens = await waiting;
    return tokens && this.#cookies.renew(response, session, tokens);
  }

  private async refresh(
    request: Request,
    response: Response,
    request_id: string,
    refresh_token: string,
  ) {
    try {
      const caller = { request, response, request_id, token: undefined };
      return (await this.#invoke('refresh', { body: { refresh_token } }, caller)).value;
    } catch (error) {
      if (isAppError(error) && error.code === 'INVALID_API_KEY') return undefined;
      throw error;
    }
  }
}
