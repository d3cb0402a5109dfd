import { randomBytes } from 'node:crypto';
import type { CallContext } from '@credit/platform/context';
import { hashSecret, sealSecret } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import { conflict, invalid, unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import {
  newFactorSecret,
  newRecoveryText,
  otpauthUri,
  otpFrom,
  type Proof,
  proofFrom,
  RECOVERY_CODES,
  shownRecoveryCode,
} from '../domain/second-factors';
import type { User } from '../domain/users';
import {
  confirmSecondFactor,
  deleteSecondFactor,
  findSecondFactor,
  offerSecondFactor,
  replaceRecoveryCodes,
} from '../store/second-factors';
import { endOtherSessions, setAmr } from '../store/sessions';
import { lockUser } from '../store/users';
import { requireUser } from './actor';
import { requireOwnPassword } from './own-password';
import { requireFactor } from './second-factor-guard';
import { takeCode, takeProof } from './second-factor-proof';
import { tellAudit } from './tell';
import { tellOfFactor } from './tell-of-factor';

/** What an authenticator is told, once. */
export interface OfferedFactor {
  readonly secret: string;
  readonly otpauth_uri: string;
}

const enrolled = () =>
  conflict('There is a second factor already: remove it first.', {
    reason: 'SECOND_FACTOR_ENROLLED',
  });

const notEnrolled = () => conflict('There is no second factor.', { reason: 'NO_SECOND_FACTOR' });

/** Offers the calling user a second factor, in place of one offered before; a code confirms it. */
export async function beginSecondFactor(
  deps: Dependencies,
  ctx: CallContext,
  given: { current_password: string; issuer: string },
): Promise<OfferedFactor> {
  const { id, email } = await requireOwnPassword(deps, ctx, given.current_password);
  const secret = newFactorSecret(randomBytes);
  await deps.db.transaction(ctx, async (tx) => {
    const user = await lockActive(tx, id);
    const sealed = sealSecret(deps.second_factor_keys, id, secret, randomBytes);
    if (!(await offerSecondFactor(tx, id, sealed))) throw enrolled();
    tell(tx, deps, user, 'user.second_factor_offered');
  });
  return { secret, otpauth_uri: otpauthUri(secret, { issuer: given.issuer, email }) };
}

/**
 * Confirms the factor that was offered with a code of it. The user's other sessions, which were
 * begun without it, end. Returns the recovery codes, which are shown once.
 */
export async function confirmOfferedFactor(
  deps: Dependencies,
  ctx: CallContext,
  given: { code: string; session_id: string },
): Promise<string[]> {
  const code = otpFrom(given.code);
  const caller = await requireUser(deps.db.read(ctx), ctx);
  return requireFactor(
    deps,
    ctx,
    caller,
    () =>
      deps.db.transaction(ctx, async (tx) => {
        const user = await lockActive(tx, caller.id);
        const factor = await findSecondFactor(tx, user.id);
        if (factor === undefined) throw notEnrolled();
        if (factor.is_confirmed) throw enrolled();
        if (!(await takeCode(tx, deps, factor, code))) return undefined;
        await confirmSecondFactor(tx, user.id);
        const codes = await giveRecoveryCodes(tx, user.id);
        await endOtherSessions(tx, user.id, given.session_id);
        await setAmr(tx, given.session_id, user.id, 'pwd+otp');
        tell(tx, deps, user, 'user.second_factor_confirmed');
        await tellOfFactor(tx, deps, user.id, 'SET_UP');
        return codes;
      }),
    () => invalid('code', 'is wrong, or was used before'),
  );
}

/** Removes the calling user's factor and its recovery codes. */
export async function removeSecondFactor(
  deps: Dependencies,
  ctx: CallContext,
  given: Proven,
): Promise<void> {
  await proven(deps, ctx, given, async (tx, user) => {
    await deleteSecondFactor(tx, user.id);
    tell(tx, deps, user, 'user.second_factor_removed');
    await tellOfFactor(tx, deps, user.id, 'REMOVED');
    return true;
  });
}

/** Gives other recovery codes in place of all that there were. */
export function renewRecoveryCodes(
  deps: Dependencies,
  ctx: CallContext,
  given: Proven,
): Promise<string[]> {
  return proven(deps, ctx, given, async (tx, user) => {
    const codes = await giveRecoveryCodes(tx, user.id);
    tell(tx, deps, user, 'user.recovery_codes_renewed');
    await tellOfFactor(tx, deps, user.id, 'CODES_RENEWED');
    return codes;
  });
}

/** In place of all that there were; only their hashes are kept. */
async function giveRecoveryCodes(tx: Transaction, user_id: string): Promise<string[]> {
  const texts = Array.from({ length: RECOVERY_CODES }, () => newRecoveryText(randomBytes));
  await replaceRecoveryCodes(tx, user_id, texts.map(hashSecret));
  return texts.map(shownRecoveryCode);
}

/** What proves that it is the user and nobody with its session. */
interface Proven {
  readonly current_password: string;
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
}

async function proven<T>(
  deps: Dependencies,
  ctx: CallContext,
  given: Proven,
  act: (tx: Transaction, user: User) => Promise<T>,
): Promise<T> {
  const proof: Proof = proofFrom(given);
  const { id, ...caller } = await requireOwnPassword(deps, ctx, given.current_password);
  return requireFactor(
    deps,
    ctx,
    { id, ...caller },
    () =>
      deps.db.transaction(ctx, async (tx) => {
        const user = await lockActive(tx, id);
        if ((await findSecondFactor(tx, id))?.is_confirmed !== true) throw notEnrolled();
        return (await takeProof(tx, deps, id, proof)) ? act(tx, user) : undefined;
      }),
    () => invalid(proof.kind === 'otp' ? 'code' : 'recovery_code', 'is wrong, or was used before'),
  );
}

async function lockActive(tx: Transaction, user_id: string): Promise<User> {
  const user = await lockUser(tx, user_id);
  if (user?.status !== 'ACTIVE') throw unauthenticated();
  return user;
}

function tell(
  tx: Transaction,
  { clock }: Pick<Dependencies, 'clock'>,
  user: User,
  action: string,
): void {
  tellAudit(tx, clock, {
    institution_id: user.institution_id,
    action,
    target_type: 'user',
    target_id: user.id,
  });
}
