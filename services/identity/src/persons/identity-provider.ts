import { createHmac } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { requestError, unavailable } from '@credit/platform/errors';
import type { Logger } from '@credit/platform/runtime';
import * as oidc from 'openid-client';

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  /** The claim that says who it is. */
  readonly claim: string;
  /** Where the provider sends the browser back to. */
  readonly redirect_uri: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/** What the browser comes back with. */
export interface ProviderAnswer {
  readonly code: string;
  readonly state: string;
  /** Where the provider names itself in it. */
  readonly iss?: string | undefined;
}

const TIMEOUT_S = 5;
/** Keys are looked for anew whenever one is not known; everything else of the provider so often. */
const DISCOVERED_FOR_MS = 3_600_000;
const MAX_CLAIM_LENGTH = 255;
/** What went wrong on the way, which says nothing of the answer. */
const ON_THE_WAY = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_HTTP_REQUEST_FORBIDDEN']);

/** What people sign in with: OpenID Connect, by authorisation code with PKCE. */
export class IdentityProvider {
  private discovered:
    | { readonly at_ms: number; readonly config: Promise<oidc.Configuration> }
    | undefined;

  constructor(
    private readonly options: IdentityProviderOptions,
    private readonly now_ms: () => number,
  ) {}

  /** Where the browser of a sign-in is sent. */
  async authorizationUrl(token: string): Promise<string> {
    const { state, nonce, code_verifier } = secretsOf(token);
    const url = oidc.buildAuthorizationUrl(await this.configuration(), {
      redirect_uri: this.options.redirect_uri,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Who it is that comes back, by the claim. The answer must be of this sign-in, and the ID token of
   * this provider, for this client, signed and not over; 400 for anything else.
   */
  async whoIs(ctx: CallContext, token: string, answer: ProviderAnswer): Promise<string> {
    const { state, nonce, code_verifier } = secretsOf(token);
    const config = await this.configuration();
    const url = new URL(this.options.redirect_uri);
    url.searchParams.set('code', answer.code);
    url.searchParams.set('state', answer.state);
    if (answer.iss !== undefined) url.searchParams.set('iss', answer.iss);
    let claims: Readonly<Record<string, unknown>> | undefined;
    try {
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: code_verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      claims = tokens.claims();
    } catch (error) {
      throw this.refusal(ctx, error);
    }
    const who = claims?.[this.options.claim];
    if (typeof who === 'string' && who !== '' && who.length <= MAX_CLAIM_LENGTH) return who;
    this.warn(ctx, 'the ID token lacks the claim that says who it is');
    throw notValid();
  }

  private configuration(): Promise<oidc.Configuration> {
    const known = this.discovered;
    if (known !== undefined && this.now_ms() - known.at_ms < DISCOVERED_FOR_MS) return known.config;
    const config = this.discover();
    const discovered = { at_ms: this.now_ms(), config };
    this.discovered = discovered;
    config.catch(() => {
      if (this.discovered === discovered) this.discovered = undefined;
    });
    return config;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { issuer, client_id, client_secret } = this.options;
    const url = new URL(issuer);
    try {
      return await oidc.discovery(url, client_id, client_secret, undefined, {
        timeout: TIMEOUT_S,
        execute: url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
      });
    } catch (error) {
      throw away(error);
    }
  }

  private refusal(ctx: CallContext, error: unknown): Error {
    const { code, status } = faultOf(error);
    if (error instanceof TypeError || ON_THE_WAY.has(code) || status >= 500) return away(error);
    this.warn(ctx, 'a sign-in at the identity provider was refused', code);
    return notValid();
  }

  private warn({ request_id }: CallContext, message: string, code?: string): void {
    this.options.logger.warn({ request_id, ...(code && { code }) }, message);
  }
}

/**
 * What goes with a sign-in follows from its token, each part as hard to guess as that: so nothing of it
 * is kept, and what the provider and the browser see of it gives the token away to nobody.
 */
function secretsOf(token: string) {
  const part = (use: string) => createHmac('sha256', token).update(use).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), code_verifier: part('code verifier') };
}

function faultOf(error: unknown): { readonly code: string; readonly status: number } {
  const { code, status } = Object(error) as { code?: unknown; status?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    status: typeof status === 'number' ? status : 0,
  };
}

const notValid = () =>
  requestError('The sign-in is unknown, was used, or is over. Begin anew.', 'TOKEN_NOT_VALID');

const away = (cause: unknown) =>
  unavailable('The identity provider cannot be reached; try again.', 5, cause);
