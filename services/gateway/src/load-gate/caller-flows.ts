import { createHmac, randomBytes } from 'node:crypto';

/** Credentials whose holders are remembered; the one not seen for longest goes first. */
const MAX_REMEMBERED = 20_000;
/** Callers without a credential that is known share so many places in line, by their addresses. */
const ADDRESS_GROUPS = 8;

/**
 * Whom a request counts with before anybody is asked who it is: the institution, or the person, that
 * its credential was last seen to belong to, and without one the address. It decides on nothing but
 * whose turn it is: a credential that has been revoked is still refused by identity. What is made up
 * is known to nobody, and stands in line with its address.
 */
export class CallerFlows {
  /** By the credential's hash; in the order in which they were last used. */
  readonly #holders = new Map<string, string>();
  /** Nobody can work out whose group an address falls into. */
  readonly #salt = randomBytes(32);

  of(credential_hash: Buffer | undefined, address: string): string {
    const key = credential_hash && keyOf(credential_hash);
    const holder = key && this.#holders.get(key);
    if (key === undefined || holder === undefined) return this.#groupOf(address);
    this.#holders.delete(key);
    this.#holders.set(key, holder);
    return holder;
  }

  /** Says whose a credential is; nobody's when it is not good any more. */
  learn(credential_hash: Buffer, holder_id: string | undefined): void {
    const key = keyOf(credential_hash);
    this.#holders.delete(key);
    if (holder_id === undefined) return;
    this.#holders.set(key, holder_id);
    if (this.#holders.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#holders.keys();
    if (oldest !== undefined) this.#holders.delete(oldest);
  }

  #groupOf(address: string): string {
    const [first = 0] = createHmac('sha256', this.#salt).update(address).digest();
    return `address-${first % ADDRESS_GROUPS}`;
  }
}

function keyOf(credential_hash: Buffer): string {
  return credential_hash.toString('latin1');
}
