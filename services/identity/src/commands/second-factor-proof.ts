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
  deps: Pick<Dependencies, 'second_factor_keys' | 'clock'>,
  user_id: string,
  proof: Proof,
): Promise<boolean> {
  // A statement of its own: its snapshot must be younger than the lock.
  const factor = await findSecondFactor(tx, user_id);
  if (factor?.is_confirmed !== true) return false;
  if (proof.kind === 'recovery') return useRecoveryCode(tx, user_id, hashSecret(proof.text));
  return takeCode(tx, deps, factor, proof.code);
}

/** As {@link takeProof}, of a code and a factor that may be unconfirmed. */
export async function takeCode(
  tx: Transaction,
  deps: Pick<Dependencies, 'second_factor_keys' | 'clock'>,
  factor: SecondFactor,
  code: string,
): Promise<boolean> {
  const step = stepOfCode(secretOf(deps, factor), code, deps.clock.now_ms());
  return step !== undefined && useStep(tx, factor.user_id, step);
}
