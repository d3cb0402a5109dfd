import { randomBytes } from 'node:crypto';

/** A password that is shown once and must be changed at the first login: 120 bits. */
export function newTemporaryPassword(): string {
  return randomBytes(15).toString('base64url');
}
