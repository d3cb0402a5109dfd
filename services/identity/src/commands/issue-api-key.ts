import { API_KEY_PREFIX_LENGTH, hashSecret, newApiKey } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import type { ApiKey, KeyDraft } from '../domain/api-keys';
import { insertApiKey } from '../store/api-keys';
import { withNulls } from './tell';

/** A key with the secret that is shown once and kept nowhere. */
export interface IssuedApiKey {
  readonly api_key: ApiKey;
  readonly secret: string;
}

/** Writes a key with a new secret. */
export async function issueApiKey(
  tx: Transaction,
  deps: Dependencies,
  draft: KeyDraft,
  owner: { institution_id: string; created_by: string; rotated_from: string | undefined },
): Promise<IssuedApiKey> {
  const secret = newApiKey(draft.environment);
  const api_key = await insertApiKey(tx, {
    ...draft,
    ...owner,
    id: deps.newId(),
    prefix: secret.slice(0, API_KEY_PREFIX_LENGTH),
    secret_hash: hashSecret(secret),
  });
  return { api_key, secret };
}

/** What the audit log says of a key. */
export function shownKey(key: ApiKey): Record<string, unknown> {
  const { display_name, prefix, scopes, environment, allowed_ips, expires_at } = key;
  return withNulls({ display_name, prefix, scopes, environment, allowed_ips, expires_at });
}
