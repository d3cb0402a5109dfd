import type { CallContext } from '@credit/platform/context';
import { hashSecret } from '@credit/platform/credentials';
import { type AppError, requestError, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import { meteredPlace, normalizeAddress } from '../domain/addresses';
import { amrOf, CHALLENGE_ATTEMPTS, type Proof, proofFrom } from '../domain/second-factors';
import { type SignInFault, signInFault } from '../domain/sign-ins';
import type { User } from '../domain/users';
import { findInstitution } from '../store/institutions';
import { endChallenge, tryChallenge } from '../store/second-factors';
import { findUser, lockUser } from '../store/users';
import { inactive } from './actor';
import { beginSession } from './begin-session';
import type { SignedIn } from './issue-tokens';
import { tooManyAttempts } from './own-password';
import { recordRefusedSignIn } from './record-sign-in';
import { guardedFactor } from './second-factor-guard';
import { takeProof } from './second-factor-proof';

const over = (): AppError =>
  requestError(
    'The sign-in is unknown, took too long, was tried too often or is over: begin it anew.',
    'TOKEN_NOT_VALID',
  );

/** Exchanges the challenge of a sign-in and what proves the second factor for a token pair. */
export async function completeLogin(
  deps: Dependencies,
  ctx: CallContext,
  given: {
    challenge: string;
    code?: string | undefined;
    recovery_code?: string | undefined;
  },
): Promise<SignedIn> {
  const proof = proofFrom(given);
  const address = normalizeAddress(ctx.client_address);
  const challenge_hash = hashSecret(given.challenge);
  const on = deps.db.read(ctx);
  // Outside the transaction: a failure must stay counted.
  const user_id = await tryChallenge(on, challenge_hash, CHALLENGE_ATTEMPTS);
  const user = user_id === undefined ? undefined : await findUser(on, user_id);
  if (user === undefined) throw over();

  const guard = await guardedFactor(deps, ctx, user.id, () =>
    signIn(deps, ctx, { user, challenge_hash, proof, client_address: address }),
  );
  const place = meteredPlace(address);
  const refuse = (outcome: 'failed' | 'throttled', fault?: SignInFault) =>
    recordRefusedSignIn(deps, ctx, { outcome, user, fault, place });
  switch (guard.outcome) {
    case 'throttled':
      await refuse('throttled', 'WRONG_SECOND_FACTOR');
      throw tooManyAttempts(guard.wait_s);
    case 'failed':
      await refuse('failed', 'WRONG_SECOND_FACTOR');
      throw unauthenticated('The code is wrong, or was used before.', 'SECOND_FACTOR_FAILED');
    case 'matched': {
      const signed_in = guard.value;
      if ('fault' in signed_in) {
        await refuse('failed', signed_in.fault);
        throw signed_in.fault === 'INSTITUTION_STATUS' ? inactive() : over();
      }
      deps.sign_ins.record('succeeded');
      deps.logger.info({ user_id: user.id, place, request_id: ctx.request_id }, 'signed in');
      return signed_in;
    }
    default:
      return guard satisfies never;
  }
}

/** Undefined when the proof is not good. All that it uses up goes with the session, or stays. */
function signIn(
  deps: Dependencies,
  ctx: CallContext,
  given: {
    readonly user: User;
    readonly challenge_hash: Buffer;
    readonly proof: Proof;
    readonly client_address: string | undefined;
  },
): Promise<SignedIn | { readonly fault: SignInFault } | undefined> {
  const { challenge_hash, proof, client_address } = given;
  return deps.db.transaction(ctx, async (tx) => {
    const user = await lockUser(tx, given.user.id);
    if (user === undefined) throw over();
    const fault = signInFault(user, true);
    if (fault !== undefined) return { fault };
    const institution =
      user.institution_id === undefined
        ? undefined
        : await findInstitution(tx, user.institution_id);
    if (institution !== undefined && institution.status !== 'ACTIVE') {
      return { fault: 'INSTITUTION_STATUS' as const };
    }
    if (!(await takeProof(tx, deps, user.id, proof))) return undefined;
    // It went with the password, or with the sessions, or another took it: the proof stays good.
    if (!(await endChallenge(tx, challenge_hash))) throw over();
    return beginSession(tx, deps, user, { institution, client_address, amr: amrOf(proof) });
  });
}
