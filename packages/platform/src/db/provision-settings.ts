import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ENVIRONMENTS, type Environment } from '../context';
import { ConfigError } from '../core';
import { LOGINS, loginName, rolesOf } from './provision';

/** Manifests put passwords into connection URLs as they are, so they must need no escaping. */
const PASSWORD = /^[A-Za-z0-9_-]{16,128}$/;

/** What is to be provisioned, as a cluster says it. */
export interface ProvisionSettings {
  readonly admin_url: string;
  readonly database: string;
  readonly services: readonly string[];
  readonly environments: readonly Environment[];
  /** By login: of every role the first, and the second where there is one. */
  readonly passwords: Readonly<Record<string, string>>;
}

/**
 * Reads `ADMIN_DATABASE_URL`, `DATABASE_NAME`, the comma list `DATABASE_SERVICES`, the comma list
 * `DATABASE_ENVIRONMENTS` (both unless set) and a folder with one file for each login's password,
 * `PASSWORDS_DIRECTORY`, or one password for each login in `DATABASE_PASSWORD_<LOGIN>`. Second logins may be
 * without one: then there are none. Where services have servers of their own, this is one server's. Throws
 * {@link ConfigError} naming everything that is missing or unfit; a password is never shown.
 */
export async function readProvisionSettings(
  environment: NodeJS.ProcessEnv,
): Promise<ProvisionSettings> {
  const { ADMIN_DATABASE_URL: admin_url, DATABASE_NAME: database } = environment;
  const faults: string[] = [];
  if (!admin_url) faults.push('ADMIN_DATABASE_URL is not set');
  if (!database) faults.push('DATABASE_NAME is not set');
  const services = listOf(environment.DATABASE_SERVICES);
  if (services.length === 0) faults.push('DATABASE_SERVICES is not set');
  const named = listOf(environment.DATABASE_ENVIRONMENTS);
  const environments = ENVIRONMENTS.filter((one) => named.length === 0 || named.includes(one));
  if (named.some((one) => !environments.some((known) => known === one))) {
    faults.push('DATABASE_ENVIRONMENTS must list live, test or both');
  }

  const roles = rolesOf({ services, environments });
  const passwords: Record<string, string> = {};
  for (const role of roles) {
    for (const login of LOGINS) {
      const name = loginName(role, login);
      const { source, password } = await readPassword(environment, name);
      if (password === undefined) {
        if (login === 'first') faults.push(`${source} is missing`);
      } else if (!PASSWORD.test(password)) {
        faults.push(`${source} must hold 16 to 128 letters, digits, "-" and "_"`);
      } else passwords[name] = password;
    }
  }
  if (!admin_url || !database || faults.length > 0) {
    throw new ConfigError(`The configuration is wrong: ${faults.join('; ')}.`);
  }
  return { admin_url, database, services, environments, passwords };
}

function listOf(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

async function readPassword(
  environment: NodeJS.ProcessEnv,
  login: string,
): Promise<{ source: string; password: string | undefined }> {
  const directory = environment.PASSWORDS_DIRECTORY;
  if (!directory) {
    const source = `DATABASE_PASSWORD_${login.toUpperCase()}`;
    return { source, password: environment[source] || undefined };
  }
  const source = path.join(directory, login);
  try {
    // A file made with an editor ends in a line break, which belongs to no password.
    return { source, password: (await readFile(source, 'utf8')).replace(/\r?\n$/, '') };
  } catch {
    return { source, password: undefined };
  }
}
