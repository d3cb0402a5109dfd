import { Secret, TOTP } from 'otpauth';

const STEP_MS = 30_000;

/**
 * What an authenticator shows so many steps from now. A code is taken a step before and after its
 * time, and once: those of -1, 0 and 1, in this order, are three good ones.
 */
export function codeFrom(secret: string, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + steps * STEP_MS });
}
