import { hashSecret, unsealSecret } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import type { Dependencies } from '../dependencies';
import { type Proof, stepOfCode } from '../domain/second-factors';
import {
  findSecondFactor,
  type SecondFactor,
  useRecoveryCode,
  useStep,
} from '../store/second-factors';
import { tellOfFactor } from './tell-of-factor';

type ProofDependencies = Pick<Dependencies, 'second_factor_keys' | 'clock'>;

/** The secret as an authenticator has it. */
export function secretOf(
  { second_factor_keys }: Pick<Dependencies, 'second_factor_keys'>,
  factor: SecondFactor,
): string {
  return unsealSecret(second_factor_keys, factor.user_id, factor);
}

/**
 * Whether the proof is good for the user's confirmed factor; it is used up with it. Called with the
 * user's row locked.
 */
export async function takeProof(
  tx: Transaction,
  deps: ProofDependencies & Pick<Dependencies, 'mails' | 'newId'>,
  user_id: string,
  proof: Proof,
): Promise<boolean> {
  // A statement of its own: its snapshot must be younger than the lock.
  const factor = await findSecondFactor(tx, user_id);
  if (factor?.is_confirmed !== true) return false;
  if (proof.kind === 'otp') return takeCode(tx, deps, factor, proof.code);
  const is_taken = await useRecoveryCode(tx, user_id, hashSecret(proof.text));
  if (is_taken) await tellOfFactor(tx, deps, user_id, 'CODE_USED');
  return is_taken;
}

/** As {@link takeProof}, of a code and a factor that may be unconfirmed. */
export async function takeCode(
  tx: Transaction,
  deps: ProofDependencies,
  factor: SecondFactor,
  code: string,
): Promise<boolean> {
  const step = stepOfCode(secretOf(deps, factor), code, deps.clock.now_ms());
  return step !== undefined && useStep(tx, factor.user_id, step);
}
