import { randomBytes } from 'node:crypto';
import { type Login, LoginInUse } from '@credit/platform/db';
import { CheckpointKeys } from '@credit/platform/merkle';
import { OperatorError } from '../operator-error';

/** Rings of keys that seal: who reads each, and whether what it sealed is kept. */
export const RINGS = {
  webhooks: { service: 'webhooks', keeps: true },
  factors: { service: 'identity', keeps: true },
  console: { service: 'gateway', keeps: false },
} as const;
export type RingName = keyof typeof RINGS;

/** One seals; it and the further ones open. */
export interface Ring {
  readonly current: string;
  readonly previous: readonly string[];
}

/** The seed that signs, and all public keys that are known. */
export interface SigningKeys {
  readonly current: string;
  readonly public: readonly string[];
}

/** Where a network runs, as far as changing its secrets needs to know: a machine, or a cluster. */
export interface Place {
  /** What services use that are started now. */
  login(): Promise<Login>;
  /** Has all services use the one login of each database role, those that run included. */
  moveTo(login: Login): Promise<void>;
  /**
   * New passwords for all logins of that kind, which the database knows afterwards. Throws
   * {@link LoginInUse}, with nothing changed, where somebody uses them.
   */
  newPasswords(login: Login): Promise<void>;
  ring(name: RingName): Promise<Ring>;
  setRing(name: RingName, ring: Ring): Promise<void>;
  signingKeys(): Promise<SigningKeys>;
  setSigningKeys(keys: SigningKeys): Promise<void>;
  /** Restarts all processes of a service, one after another, each once the one before serves. */
  roll(service: string): Promise<void>;
  /** Runs a service's command beside it; its exit code. */
  run(service: string, ...args: string[]): Promise<number>;
  readonly certificates: CertificatePlace;
  say(line: string): void;
}

/** The certificates that services show each other. */
export interface CertificatePlace {
  /** Issues new ones to everybody, and waits until they are shown. */
  renew(): Promise<void>;
  /** Makes the authority that follows; whoever believes the old one believes both afterwards. */
  believeBoth(): Promise<void>;
  /** From now on certificates are of the new one. */
  issueByNext(): Promise<void>;
  /** The old one is believed no more. */
  believeNext(): Promise<void>;
}

const newKey = () => randomBytes(32).toString('base64');

/**
 * How each secret is changed while the network serves. Two values are good at any time between the
 * first step and the last, so that it does not matter which replica has which; and a change that was
 * cut off anywhere is simply begun anew.
 */
export const ROTATIONS = {
  /** The passwords of the logins that nobody uses; then all use those; then the others' passwords. */
  async database(place: Place): Promise<void> {
    const before = await place.login();
    const after = before === 'first' ? 'second' : 'first';
    try {
      await place.newPasswords(after);
    } catch (error) {
      // A change before this one was cut off while services moved.
      if (!(error instanceof LoginInUse)) throw error;
      await place.moveTo(before);
      await place.newPasswords(after);
    }
    await place.moveTo(after);
    await place.newPasswords(before);
  },

  webhooks: (place: Place) => changeRing(place, 'webhooks'),
  factors: (place: Place) => changeRing(place, 'factors'),
  console: (place: Place) => changeRing(place, 'console'),

  /** All know the next key's public part before any signs with it; public parts stay for good. */
  async audit(place: Place): Promise<void> {
    const { current, public: known } = await place.signingKeys();
    const next = newKey();
    const all = [...new Set([...known, publicOf(current), publicOf(next)])];
    await place.setSigningKeys({ current, public: all });
    await place.roll('identity');
    await place.setSigningKeys({ current: next, public: all });
    await place.roll('identity');
  },

  certificates: (place: Place) => place.certificates.renew(),

  async authority({ certificates }: Place): Promise<void> {
    await certificates.believeBoth();
    await certificates.issueByNext();
    await certificates.believeNext();
  },
} as const satisfies Record<string, (place: Place) => Promise<void>>;

export type RotationName = keyof typeof ROTATIONS;
export const ROTATION_NAMES = Object.keys(ROTATIONS) as readonly RotationName[];

export function isRotation(name: string): name is RotationName {
  return Object.hasOwn(ROTATIONS, name);
}

/** The public key of a seed, in base64. */
export function publicOf(seed: string): string {
  const [published] = new CheckpointKeys(seed).published;
  if (published === undefined) throw new Error('A key has no public part.');
  return published.public_key.toString('base64');
}

/** First in every replica's ring, then current in every one; what others sealed sealed anew. */
async function changeRing(place: Place, name: RingName): Promise<void> {
  const { service, keeps } = RINGS[name];
  const { current, previous } = await place.ring(name);
  const next = newKey();
  await place.setRing(name, { current, previous: [next, ...previous] });
  await place.roll(service);
  if (!keeps) {
    // Of what only sessions have, the one key before is enough: they are shorter than the time to the next.
    await place.setRing(name, { current: next, previous: [current] });
    await place.roll(service);
    return;
  }
  await place.setRing(name, { current: next, previous: [current, ...previous] });
  await place.roll(service);
  if ((await place.run(service, 'sealed-secrets', '--reseal')) !== 0) {
    throw new OperatorError(
      `Not everything is sealed by the new key: the ones before stay. See what ${service} sealed-secrets says, and begin anew.`,
    );
  }
  await place.setRing(name, { current: next, previous: [] });
  await place.roll(service);
}
