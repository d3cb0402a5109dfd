import { invalid } from '@credit/platform/errors';
import type { PlatformRole } from '@credit/platform/values';
import { Secret, TOTP } from 'otpauth';

/** What a session was begun with: the password alone, or with a code, or with a recovery code. */
export type Amr = 'pwd' | 'pwd+otp' | 'pwd+recovery';

/** Of whom the network asks for one. */
export const REQUIRED_OF = ['none', 'administrators', 'everyone'] as const;
export type RequiredOf = (typeof REQUIRED_OF)[number];

/** Whether a user must set one up before anything else is open to it. */
export function mustSetSecondFactor(
  required_of: RequiredOf,
  user: { readonly platform_role: PlatformRole | undefined; readonly second_factor: boolean },
): boolean {
  if (user.second_factor) return false;
  switch (required_of) {
    case 'none':
      return false;
    case 'administrators':
      return user.platform_role !== undefined;
    case 'everyone':
      return true;
    default:
      return required_of satisfies never;
  }
}

/** How many codes are given; each is good once. */
export const RECOVERY_CODES = 10;
/** How long a sign-in waits for its second step, and how often a code may be tried in it. */
export const CHALLENGE_LIFETIME_S = 5 * 60;
export const CHALLENGE_ATTEMPTS = 5;

// What every authenticator takes without being told.
const PERIOD_S = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Steps before and after this one whose codes are taken too: clocks differ. */
const WINDOW = 1;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const RECOVERY_LENGTH = 16;

/** Which account an authenticator shows the code under. */
interface Labels {
  readonly issuer: string;
  readonly email: string;
}

/** Gives that many random bytes. */
type RandomBytes = (size: number) => Uint8Array;

/** A new secret, in base32. */
export function newFactorSecret(random: RandomBytes): string {
  return new Secret({ buffer: Uint8Array.from(random(SECRET_BYTES)).buffer }).base32;
}

/** What an authenticator reads out of the picture. */
export function otpauthUri(secret: string, { issuer, email }: Labels): string {
  return totpOf(secret, { issuer, label: email }).toString();
}

function totpOf(secret: string, labels: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({
    ...labels,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_S,
  });
}

/** The time step that a code is of; undefined when it is of none around now. */
export function stepOfCode(secret: string, code: string, now_ms: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now_ms, window: WINDOW });
  return delta === null ? undefined : Math.floor(now_ms / 1_000 / PERIOD_S) + delta;
}

/** What is shown instead of a password: a code of the authenticator, or one for when it is lost. */
export type Proof =
  | { readonly kind: 'otp'; readonly code: string }
  | { readonly kind: 'recovery'; readonly text: string };

/** Reads the one of the two that was given, however it was spaced. */
export function proofFrom(given: {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
}): Proof {
  const { code, recovery_code } = given;
  if (code !== undefined && recovery_code !== undefined) {
    throw invalid('recovery_code', 'must not come together with code');
  }
  if (recovery_code !== undefined) {
    return { kind: 'recovery', text: recoveryText(recovery_code) };
  }
  return { kind: 'otp', code: otpFrom(code) };
}

/** Reads a code of the authenticator. */
export function otpFrom(code: string | undefined): string {
  const digits = (code ?? '').replace(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) throw invalid('code', 'must be 6 digits');
  return digits;
}

/** As it is hashed: people write capitals small, and leave the dashes out. */
function recoveryText(code: string): string {
  const text = code.replace(/[\s-]/g, '').toUpperCase();
  if (!/^[A-Z2-7]{16}$/.test(text)) throw invalid('recovery_code', 'must be 16 letters and digits');
  return text;
}

/** A recovery code of 80 bits, as it is hashed. */
export function newRecoveryText(random: RandomBytes): string {
  // 32 letters divide a byte's values evenly.
  return Array.from(random(RECOVERY_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** As people copy it. */
export function shownRecoveryCode(text: string): string {
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

/** The amr of a sign-in that was proven so. */
export function amrOf({ kind }: Proof): Amr {
  return kind === 'otp' ? 'pwd+otp' : 'pwd+recovery';
}
