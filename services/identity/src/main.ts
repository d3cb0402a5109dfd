import './telemetry';
import path from 'node:path';
import { runService } from '@credit/platform/runtime';
import { PasswordHasher } from './commands/password-hasher';
import { resetSuperadmin } from './commands/reset-superadmin';
import { configSchema } from './config';
import { verifyAuditCommand } from './operator/verify-audit-command';
import { build } from './service';

void runService({
  name: 'identity',
  config: configSchema,
  directory: path.resolve(__dirname, '..'),
  // Institutions and users stand above test and live: one schema.
  urls: (config) => ({ live: config.DATABASE_URL, test: config.DATABASE_URL }),
  build,
  commands: {
    /**
     * `reset-superadmin [e-mail [reason…]]`: puts a temporary password in place of a superadmin's
     * own and shows it, on the terminal and not in the log.
     */
    async 'reset-superadmin'({ config, db, clock, logger, newId }, [email, ...reason]) {
      const passwords = new PasswordHasher();
      // The service sends it; this process ends.
      const mails = config.SMTP_URL === undefined ? undefined : { wake() {} };
      const reset = await resetSuperadmin(
        { config, db, clock, passwords, mails, newId },
        { email, reason: reason.join(' ').slice(0, 2_000) },
      );
      process.stdout.write(
        `${reset.email} may sign in until ${reset.expires_at} with: ${reset.temporary_password}\n`,
      );
      logger.warn({ email: reset.email }, 'superadmin reset');
    },

    'verify-audit': ({ config, db, logger }, args) =>
      verifyAuditCommand({ verifier: config.checkpoint_verifier, db, logger }, args),
  },
});
