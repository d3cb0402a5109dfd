import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeJson } from './data-directory';
import { OperatorError } from './operator-error';

/** Made at the first start and kept, since data is encrypted or locked with them. */
export interface Secrets {
  /** Passwords of the services' database roles are derived from it. */
  database_secret: string;
  /** 32 bytes, base64: encrypts the webhooks' signing secrets at rest. */
  webhook_secret_key: string;
  /** 32 bytes, base64: signs the audit logs. */
  audit_signing_key: string;
  /** 32 bytes, base64: seals the secrets of second factors. */
  second_factor_key: string;
  /** 32 bytes, base64: seals the console's sessions. */
  console_key: string;
}

export interface Superadmin {
  email: string;
  password: string;
}

export function keepSecrets(data_directory: string): Secrets {
  const file = join(data_directory, 'secrets.json');
  const made = (): Secrets => ({
    database_secret: randomBytes(32).toString('base64url'),
    webhook_secret_key: randomBytes(32).toString('base64'),
    audit_signing_key: randomBytes(32).toString('base64'),
    second_factor_key: randomBytes(32).toString('base64'),
    console_key: randomBytes(32).toString('base64'),
  });
  const { value } = keep(file, made);
  // From before the logs were signed, or there was a console, or a second factor.
  const whole: Secrets = { ...made(), ...value };
  if (Object.keys(whole).every((name) => name in value)) return value;
  writeJson(file, whole);
  return whole;
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
