import type { KeyRing } from '@credit/platform/credentials';
import type { Database } from '@credit/platform/db';
import type { CheckpointKeys } from '@credit/platform/merkle';
import type { Clock, Logger } from '@credit/platform/runtime';
import type { PasswordHasher } from './commands/password-hasher';
import type { Config } from './config';
import type { IdentityProvider } from './persons/identity-provider';
import type { SignInMetrics } from './sign-in-metrics';
import type { RateStore } from './store/rate-store';

/** What commands and queries stand on. */
export interface Dependencies {
  readonly config: Config;
  readonly db: Database;
  /** The same schema through connections of authorisation's own. */
  readonly authorization_db: Database;
  /** Where requests are counted. */
  readonly rate_store: RateStore;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly passwords: PasswordHasher;
  readonly sign_ins: SignInMetrics;
  /** Who sends the mails that commands owe; undefined when the network sends none. */
  readonly mails?: { wake(): void } | undefined;
  /** What people sign in with; undefined where links alone open files. */
  readonly identity_provider?: IdentityProvider | undefined;
  /** What checkpoints of logs are signed with. */
  readonly checkpoint_keys: CheckpointKeys;
  /** What the secrets of second factors are sealed with. */
  readonly second_factor_keys: KeyRing;
}
