import type { Transaction } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import type { Institution } from '../domain/institutions';
import type { Amr } from '../domain/second-factors';
import type { User } from '../domain/users';
import { profileOf } from '../queries/profile';
import { insertSession } from '../store/sessions';
import { touchLogin } from '../store/users';
import { issueTokens, type SignedIn } from './issue-tokens';
import { tellAudit } from './tell';

/** Begins a session of a user who has proven all that is asked. */
export async function beginSession(
  tx: Transaction,
  deps: Dependencies,
  user: User,
  session: {
    readonly institution: Institution | undefined;
    readonly client_address: string | undefined;
    readonly amr: Amr;
  },
): Promise<SignedIn> {
  const { institution, client_address, amr } = session;
  const session_id = deps.newId();
  await insertSession(tx, {
    id: session_id,
    user_id: user.id,
    lifetime_s: deps.config.SESSION_LIFETIME_S,
    amr,
  });
  const tokens = await issueTokens(tx, deps, {
    session_id,
    parent_hash: undefined,
    client_address,
  });
  tellAudit(tx, deps.clock, {
    institution_id: user.institution_id,
    action: 'user.logged_in',
    target_type: 'session',
    target_id: session_id,
    changes: { amr },
    actor: { type: 'user', id: user.id },
  });
  return { tokens, profile: profileOf(deps, await touchLogin(tx, user.id), institution) };
}
