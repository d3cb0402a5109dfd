import { hashSecret, newAccessToken, newRefreshToken } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import type { Profile } from '../queries/profile';
import { insertTokenPair } from '../store/sessions';

/** A token pair; what is stored of it is its hashes. */
export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** A token pair and whose it is. */
export interface SignedIn {
  readonly tokens: TokenPair;
  readonly profile: Profile;
}

/** Gives a session another token pair. */
export async function issueTokens(
  tx: Transaction,
  deps: Dependencies,
  session: {
    session_id: string;
    parent_hash: Buffer | undefined;
    /** Where it is used from. */
    client_address: string | undefined;
  },
): Promise<TokenPair> {
  const access_token = newAccessToken();
  const refresh_token = newRefreshToken();
  const expires_in = await insertTokenPair(tx, {
    ...session,
    access_hash: hashSecret(access_token),
    access_lifetime_s: deps.config.ACCESS_TOKEN_LIFETIME_S,
    refresh_hash: hashSecret(refresh_token),
    refresh_lifetime_s: deps.config.SESSION_IDLE_S,
  });
  return { access_token, refresh_token, expires_in };
}
