// A person's sign-in at the identity provider, in three steps: it begins, the provider says who it is,
// and the session begins of the subject that has this identity. Whose that is, reporting knows.

import type { CallContext, Environment } from '@credit/platform/context';
import { hashSecret, isSignInToken, newSignInToken } from '@credit/platform/credentials';
import { notFound, requestError } from '@credit/platform/errors';
import type { Dependencies } from '../../dependencies';
import type { IdentityProvider, ProviderAnswer } from '../identity-provider';
import {
  insertPersonSignIn,
  provePersonSignIn,
  redeemPersonSignIn,
  takePersonSignIn,
} from '../store/person-sign-ins';
import { beginPersonSession, type PersonTokens } from './begin-person-session';
import { requireOpenDoor } from './door';

/** Long enough to find one's password. */
const LIFETIME_S = 600;
/** Between what the provider says and the session. */
const PROVEN_FOR_S = 60;

/** A sign-in that has begun. */
export interface BegunSignIn {
  /** Ends it; whoever lacks it cannot, with whatever the browser comes back. */
  readonly sign_in_token: string;
  readonly authorization_url: string;
  readonly expires_at: string;
}

/** Whom the provider says that it is. */
export interface ProvenIdentity {
  readonly kind: 'game_uuid' | 'forum_id';
  readonly value: string;
  readonly environment: Environment;
}

const notValid = () =>
  requestError('The sign-in is unknown, was used, or is over. Begin anew.', 'TOKEN_NOT_VALID');

function providerOf({ identity_provider }: Dependencies): IdentityProvider {
  if (identity_provider !== undefined) return identity_provider;
  throw notFound('This network has no identity provider; a lender can give you a link.');
}

export async function beginPersonSignIn(
  deps: Dependencies,
  ctx: CallContext,
  environment: Environment,
): Promise<BegunSignIn> {
  const provider = providerOf(deps);
  requireOpenDoor(deps.config, environment);
  const sign_in_token = newSignInToken();
  // First: one whose provider is away has not begun.
  const authorization_url = await provider.authorizationUrl(sign_in_token);
  const expires_at = await insertPersonSignIn(
    deps.db.read(ctx),
    hashSecret(sign_in_token),
    environment,
    LIFETIME_S,
  );
  return { sign_in_token, authorization_url, expires_at };
}

/** Takes what the browser came back with to the provider, once. */
export async function proveWhoSignsIn(
  deps: Dependencies,
  ctx: CallContext,
  sign_in_token: string,
  answer: ProviderAnswer,
): Promise<ProvenIdentity> {
  const provider = providerOf(deps);
  if (!isSignInToken(sign_in_token)) throw notValid();
  const token_hash = hashSecret(sign_in_token);
  const on = deps.db.read(ctx);
  const environment = await redeemPersonSignIn(on, token_hash);
  if (environment === undefined) throw notValid();
  const value = await provider.whoIs(ctx, sign_in_token, answer);
  await provePersonSignIn(on, token_hash);
  return { kind: deps.config.PERSON_OIDC_IDENTITY, value, environment };
}

/** Lets the person in of the subject that has the proven identity. */
export async function completePersonSignIn(
  deps: Dependencies,
  ctx: CallContext,
  sign_in_token: string,
  subject_id: string,
): Promise<PersonTokens> {
  if (!isSignInToken(sign_in_token)) throw notValid();
  return deps.db.transaction(ctx, async (tx) => {
    const environment = await takePersonSignIn(tx, hashSecret(sign_in_token), PROVEN_FOR_S);
    if (environment === undefined) throw notValid();
    requireOpenDoor(deps.config, environment);
    return beginPersonSession(tx, deps, { subject_id, environment, proof: 'IDENTITY_PROVIDER' });
  });
}
