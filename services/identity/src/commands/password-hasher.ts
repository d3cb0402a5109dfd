import { unavailable } from '@credit/platform/errors';
import { hash, type Options, verify } from '@node-rs/argon2';
import { passwordText } from '../domain/passwords';

/** Argon2id (the library's default variant) as OWASP asks for it: 19 MiB, 2 passes, 1 lane. */
const PARAMETERS: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** At once; each takes a thread of Node's pool, of which files and DNS want some too. */
const MAX_RUNNING = 2;
const MAX_WAITING = 64;

/** Hashes and verifies passwords, a bounded number at a time. */
export class PasswordHasher {
  private running = 0;
  private readonly waiting: Array<() => void> = [];
  private decoy: Promise<string> | undefined;

  /** A PHC string with its own salt and parameters. */
  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(passwordText(password), PARAMETERS));
  }

  /**
   * Whether the password is the one of the hash. Without a hash it does the same work
   * and says no, so that an unknown user takes as long as a wrong password.
   */
  async verify(password_hash: string | undefined, password: string): Promise<boolean> {
    this.decoy ??= hash('no such user', PARAMETERS);
    const against = password_hash ?? (await this.decoy);
    const matches = await this.inTurn(() => verify(against, passwordText(password)));
    return matches && password_hash !== undefined;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < MAX_RUNNING) {
      this.running += 1;
    } else {
      if (this.waiting.length >= MAX_WAITING) {
        throw unavailable('The service is busy; try again shortly.');
      }
      // The turn is handed over below, so the count stays right.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
