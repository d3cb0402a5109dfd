import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Login,
  type Provisioned,
  type ProvisionOptions,
  provisioned,
} from '@credit/platform/db';
import { readJson, writeJson } from './data-directory';
import { OperatorError } from './operator-error';
import { SERVICES, type SecretVariables, type ServiceDefinition } from './services';

export const DATABASE = 'credit';
const SECRETS_FILE = 'secrets.json';

/** Made at the first start and kept, since data is encrypted or locked with them. */
export interface Secrets {
  /** Passwords of the first and of the second logins of the services' database roles are derived from these. */
  database_secret: string;
  database_secret_b: string;
  /** The logins that services use. */
  database_login: Login;
  /** 32 bytes, base64: encrypts the webhooks' signing secrets at rest. */
  webhook_secret_key: string;
  /** 32 bytes, base64: signs the audit logs. */
  audit_signing_key: string;
  /** 32 bytes, base64: seals the secrets of second factors. */
  second_factor_key: string;
  /** 32 bytes, base64: seals the console's sessions. */
  console_key: string;
  /** Comma lists of further keys that open, or that are known: empty unless keys were changed. */
  webhook_secret_keys_previous: string;
  second_factor_keys_previous: string;
  console_keys_previous: string;
  audit_public_keys: string;
}

export interface Superadmin {
  email: string;
  password: string;
}

export function keepSecrets(data_directory: string): Secrets {
  const file = join(data_directory, SECRETS_FILE);
  const made = (): Secrets => ({
    database_secret: randomBytes(32).toString('base64url'),
    database_secret_b: randomBytes(32).toString('base64url'),
    database_login: 'first',
    webhook_secret_key: randomBytes(32).toString('base64'),
    audit_signing_key: randomBytes(32).toString('base64'),
    second_factor_key: randomBytes(32).toString('base64'),
    console_key: randomBytes(32).toString('base64'),
    webhook_secret_keys_previous: '',
    second_factor_keys_previous: '',
    console_keys_previous: '',
    audit_public_keys: '',
  });
  const { value } = keep(file, made);
  // From before the logs were signed, or there was a console, a second factor or a second login.
  const whole: Secrets = { ...made(), ...value };
  if (Object.keys(whole).every((name) => name in value)) return value;
  writeJson(file, whole);
  return whole;
}

/** Puts others in the place of some. A process takes them up when it is started again. */
export function changeSecrets(data_directory: string, changed: Partial<Secrets>): void {
  writeJson(join(data_directory, SECRETS_FILE), { ...keepSecrets(data_directory), ...changed });
}

/** Variables of secrets that change while the system runs. */
type RotatedVariables = Omit<
  SecretVariables,
  'BOOTSTRAP_EMAIL' | 'BOOTSTRAP_PASSWORD' | 'PERSON_OIDC_CLIENT_SECRET'
>;

/** Where each service finds its data with these secrets. */
export function databasesOf(
  admin_url: string,
  secrets: Secrets,
  services?: readonly ServiceDefinition[],
): Provisioned['services'] {
  return provisioned(admin_url, provisionOptions(secrets, services)).services;
}

/** What the database is to be provided with. */
export function provisionOptions(
  secrets: Secrets,
  services: readonly ServiceDefinition[] = SERVICES,
): ProvisionOptions {
  return {
    database: DATABASE,
    services: services
      .filter(({ database, replica_of }) => database !== 'none' && replica_of === undefined)
      .map(({ name }) => name),
    secret: secrets.database_secret,
    second_secret: secrets.database_secret_b,
    login: secrets.database_login,
  };
}

/** What services are given of the secrets, unless the operator's environment has its own. */
export function secretVariables(secrets: Secrets, env: NodeJS.ProcessEnv): RotatedVariables {
  const key = (name: keyof RotatedVariables, own: string) => env[name] || own;
  // Keys beside one that is the operator's are the operator's to name too.
  const beside = (name: keyof RotatedVariables, further: keyof RotatedVariables, own: string) =>
    env[further] ?? (env[name] ? '' : own);
  return {
    WEBHOOK_SECRET_KEY: key('WEBHOOK_SECRET_KEY', secrets.webhook_secret_key),
    WEBHOOK_SECRET_KEYS_PREVIOUS: beside(
      'WEBHOOK_SECRET_KEY',
      'WEBHOOK_SECRET_KEYS_PREVIOUS',
      secrets.webhook_secret_keys_previous,
    ),
    SECOND_FACTOR_KEY: key('SECOND_FACTOR_KEY', secrets.second_factor_key),
    SECOND_FACTOR_KEYS_PREVIOUS: beside(
      'SECOND_FACTOR_KEY',
      'SECOND_FACTOR_KEYS_PREVIOUS',
      secrets.second_factor_keys_previous,
    ),
    CONSOLE_KEY: key('CONSOLE_KEY', secrets.console_key),
    CONSOLE_KEYS_PREVIOUS: beside(
      'CONSOLE_KEY',
      'CONSOLE_KEYS_PREVIOUS',
      secrets.console_keys_previous,
    ),
    AUDIT_SIGNING_KEY: key('AUDIT_SIGNING_KEY', secrets.audit_signing_key),
    AUDIT_PUBLIC_KEYS: beside('AUDIT_SIGNING_KEY', 'AUDIT_PUBLIC_KEYS', secrets.audit_public_keys),
  };
}

export const SUPERADMIN_FILE = 'superadmin.json';

/** `made` tells that this is the first start: the password is shown this once. */
export function keepSuperadmin(data_directory: string): { value: Superadmin; made: boolean } {
  return keep(join(data_directory, SUPERADMIN_FILE), () => ({
    email: 'superadmin@local.test',
    password: randomBytes(18).toString('base64url'),
  }));
}

function keep<T>(file: string, make: () => T): { value: T; made: boolean } {
  const kept = readJson<T>(file);
  if (kept) return { value: kept, made: false };
  // Never replaced: what was encrypted with a lost key is lost.
  if (existsSync(file)) throw new OperatorError(`${file} cannot be read; restore it from a copy.`);
  const value = make();
  writeJson(file, value);
  return { value, made: true };
}
