// `node provision-command.js`: what a cluster runs before the first migration, and again whenever
// a password was changed. Local mode calls provision() itself.

import { createLogger } from '../runtime/logger';
import { provision } from './provision';
import { readProvisionSettings } from './provision-settings';

async function main(): Promise<void> {
  const logger = createLogger({ service: 'provision' });
  try {
    const { admin_url, ...options } = await readProvisionSettings(process.env);
    await provision(admin_url, options);
    const { database, passwords } = options;
    logger.info({ database, logins: Object.keys(passwords) }, 'roles and schemas are there');
  } catch (error) {
    logger.fatal({ err: error }, 'provisioning failed');
    process.exitCode = 1;
  }
}

void main();
