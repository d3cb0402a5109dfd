import type { CallContext } from '@credit/platform/context';
import { conflict, rateLimited } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { meteredPlace, meteredSite, normalizeAddress } from '../domain/addresses';
import { emailKey } from '../domain/emails';
import { MAX_RESET_MAILS, mayResetByMail, RESET_LIFETIME_S } from '../domain/password-resets';
import { isTold } from '../domain/sign-ins';
import { countAttempt } from '../store/attempts';
import { insertPasswordReset, password_reset_mails } from '../store/password-resets';
import { findUserByEmail } from '../store/users';
import { addressLimits } from './address-limits';
import { type Limit, waitOf } from './password-guard';
import { tellAudit } from './tell';

const WINDOW_S = 3_600;

/**
 * Owes a mail with a link that sets a new password, when a user has the address who may. Of one
 * that nobody has the same rows are written, and the sender finds nobody to mail: neither the
 * answer nor its time tells who has an account.
 */
export async function requestPasswordReset(
  deps: Dependencies,
  ctx: CallContext,
  given: { email: string },
): Promise<void> {
  const { mails } = deps;
  if (mails === undefined) {
    throw conflict('The network sends no mail: ask an administrator for a temporary password.', {
      reason: 'NO_MAIL',
    });
  }
  const email_key = emailKey(given.email);
  const address = normalizeAddress(ctx.client_address);
  const place = meteredPlace(address);
  const on = deps.db.read(ctx);
  const limits: Limit[] = [
    ...addressLimits(deps.config, 'reset', { place, site: meteredSite(address) }),
    { subject: `reset account ${email_key}`, limit: Number.POSITIVE_INFINITY, window_s: WINDOW_S },
  ];
  const counts = await countAttempt(on, limits);
  const wait_s = waitOf(limits, counts);
  if (wait_s > 0) {
    throw rateLimited(
      'There were too many requests; try again later.',
      wait_s,
      'TOO_MANY_ATTEMPTS',
    );
  }
  // No error: the mails that are there already do, and a stranger's requests shut nobody out.
  if ((counts.at(-1)?.count ?? 0) > MAX_RESET_MAILS) return;

  const found = await findUserByEmail(on, email_key);
  const user = found !== undefined && mayResetByMail(found) ? found : undefined;
  await deps.db.transaction(ctx, async (tx) => {
    const id = deps.newId();
    await insertPasswordReset(tx, { id, user_id: user?.id, lifetime_s: RESET_LIFETIME_S });
    await password_reset_mails.insert(tx, id);
    tx.afterCommit(() => mails.wake());
    // Of nobody's only the first ones: strangers can make as many as they like.
    const subject = `told reset ${user?.id ?? `nobody ${place}`}`;
    const [counted] = await countAttempt(tx, [{ subject, window_s: WINDOW_S }]);
    const requests = counted?.count ?? 1;
    if (!isTold(requests, user === undefined ? 1 : MAX_RESET_MAILS)) return;
    tellAudit(tx, deps.clock, {
      institution_id: user?.institution_id,
      action: 'user.password_reset_requested',
      target_type: user === undefined ? 'address' : 'user',
      target_id: user?.id ?? place,
      changes: { requests },
    });
  });
}
