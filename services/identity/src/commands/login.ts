import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import type { AttemptCount, Transaction } from '@credit/platform/db';
import { rateLimited, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { meteredPlace, meteredSite, normalizeAddress } from '../domain/addresses';
import { emailKey } from '../domain/emails';
import { CHALLENGE_LIFETIME_S } from '../domain/second-factors';
import { type SignInFault, signInFault } from '../domain/sign-ins';
import { findInstitution } from '../store/institutions';
import { findSecondFactor, insertChallenge } from '../store/second-factors';
import { findUserByEmail, lockUser, type UserWithPassword } from '../store/users';
import { inactive } from './actor';
import { addressLimits } from './address-limits';
import { beginSession } from './begin-session';
import type { SignedIn } from './issue-tokens';
import { guarded, type Limit } from './password-guard';
import { recordRefusedSignIn } from './record-sign-in';
import { tellAdministration } from './tell';

/** One sentence for every reason, so that it tells nothing about who has an account. */
const WRONG = 'The e-mail or the password is wrong.';
const THROTTLED = 'There were too many failed attempts; try again later.';

const ACCOUNT_WINDOW_S = 15 * 60;

/** The password was right, and a second factor is asked for. */
export interface Challenged {
  readonly challenge: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** Exchanges e-mail and password for a token pair, or for a challenge where a factor is asked for. */
export async function login(
  deps: Dependencies,
  ctx: CallContext,
  given: { email: string; password: string; client_address: string },
): Promise<SignedIn | Challenged> {
  const email_key = emailKey(given.email);
  const address = normalizeAddress(given.client_address);
  const place = meteredPlace(address);
  // What an attempt that was made has found out; one that was not looks it up below.
  let found: UserWithPassword | undefined;
  let fault: SignInFault | undefined;
  const guard = await guarded(
    deps,
    ctx,
    limitsOf(deps, { email_key, place, site: meteredSite(address) }),
    async () => {
      found = await findUserByEmail(deps.db.read(ctx), email_key);
      const matches = await deps.passwords.verify(found?.password_hash, given.password);
      if (found === undefined) return undefined;
      fault = signInFault(found, matches);
      return fault === undefined ? found : undefined;
    },
    (limits, counts) => tightened(deps, limits, counts),
  );
  const refuse = async (outcome: 'failed' | 'throttled', why?: SignInFault) =>
    recordRefusedSignIn(deps, ctx, { outcome, user: found, fault: why, place });

  switch (guard.outcome) {
    case 'throttled':
      found = await findUserByEmail(deps.db.read(ctx), email_key);
      await refuse('throttled');
      throw rateLimited(THROTTLED, guard.wait_s, 'TOO_MANY_ATTEMPTS');
    case 'failed':
      await refuse('failed', fault);
      if (found !== undefined) await alarm(deps, ctx, found, guard.counts);
      throw unauthenticated(WRONG, 'SIGN_IN_FAILED');
    case 'matched': {
      const signed_in = await signIn(deps, ctx, guard.value, address);
      if ('fault' in signed_in) {
        await refuse('failed', signed_in.fault);
        throw signed_in.fault === 'INSTITUTION_STATUS'
          ? inactive()
          : unauthenticated(WRONG, 'SIGN_IN_FAILED');
      }
      if ('challenge' in signed_in) return signed_in;
      deps.sign_ins.record('succeeded');
      deps.logger.info({ user_id: guard.value.id, place, request_id: ctx.request_id }, 'signed in');
      return signed_in;
    }
    default:
      return guard satisfies never;
  }
}

/**
 * Failures are counted for the address, for its site, and for the account at this address. The
 * account as a whole, last here, has no limit: whoever knows an e-mail could shut its person out.
 */
function limitsOf(
  { config }: Pick<Dependencies, 'config'>,
  by: { email_key: string; place: string; site: string | undefined },
): Limit[] {
  const { email_key, place } = by;
  return [
    ...addressLimits(config, 'sign-in', by),
    {
      subject: `pair ${place} ${email_key}`,
      limit: config.LOGIN_FAILURES_PER_PAIR,
      window_s: ACCOUNT_WINDOW_S,
      starts_anew: true,
    },
    {
      subject: `account ${email_key}`,
      limit: Number.POSITIVE_INFINITY,
      window_s: ACCOUNT_WINDOW_S,
    },
  ];
}

/** Guesses at an account from many addresses make each address worth fewer of them. */
function tightened(
  { config }: Pick<Dependencies, 'config'>,
  limits: readonly Limit[],
  counts: readonly AttemptCount[],
): readonly Limit[] {
  if ((counts.at(-1)?.count ?? 0) <= config.LOGIN_FAILURES_SPREAD) return limits;
  const most = config.LOGIN_FAILURES_PER_PAIR_WHEN_SPREAD;
  return limits.map((limit) =>
    limit.subject.startsWith('pair ') ? { ...limit, limit: Math.min(limit.limit, most) } : limit,
  );
}

/** Once a window: the count passes the number in one attempt only. */
async function alarm(
  deps: Dependencies,
  ctx: CallContext,
  user: UserWithPassword,
  counts: readonly AttemptCount[],
): Promise<void> {
  const failures = counts.at(-1)?.count ?? 0;
  if (failures !== deps.config.LOGIN_FAILURES_SPREAD + 1) return;
  deps.sign_ins.recordSpreadGuessing();
  deps.logger.warn({ user_id: user.id, request_id: ctx.request_id }, 'an account is guessed at');
  await deps.db.transaction(ctx, async (tx) => {
    const told = {
      action: 'user.guessing_detected',
      target_type: 'user',
      target_id: user.id,
      changes: { failures },
    };
    tellAdministration(tx, deps.clock, told, [user.institution_id]);
  });
}

/** Begins a session, unless something has changed since the password was checked. */
async function signIn(
  deps: Dependencies,
  ctx: CallContext,
  user: UserWithPassword,
  client_address: string | undefined,
): Promise<SignedIn | Challenged | { readonly fault: SignInFault }> {
  return deps.db.transaction(ctx, async (tx) => {
    const locked = await lockUser(tx, user.id);
    if (locked === undefined) return { fault: 'WRONG_PASSWORD' as const };
    const fault = signInFault(locked, locked.password_hash === user.password_hash);
    if (fault !== undefined) return { fault };
    const institution =
      locked.institution_id === undefined
        ? undefined
        : await findInstitution(tx, locked.institution_id);
    if (institution !== undefined && institution.status !== 'ACTIVE') {
      return { fault: 'INSTITUTION_STATUS' as const };
    }
    // A statement of its own: its snapshot must be younger than the lock.
    const factor = await findSecondFactor(tx, locked.id);
    if (factor?.is_confirmed === true) return challenge(tx, locked.id);
    return beginSession(tx, deps, locked, { institution, client_address, amr: 'pwd' });
  });
}

/** Gives the way to the second step, and no token. */
async function challenge(tx: Transaction, user_id: string): Promise<Challenged> {
  const text = `svc_sc_${randomBytes(32).toString('base64url')}`;
  await insertChallenge(tx, {
    token_hash: hashSecret(text),
    user_id,
    lifetime_s: CHALLENGE_LIFETIME_S,
  });
  return { challenge: text, expires_in: CHALLENGE_LIFETIME_S };
}
