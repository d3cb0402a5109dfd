import './telemetry';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { systemContext } from '@credit/platform/context';
import { ACT_OPTIONS, readAct, runService } from '@credit/platform/runtime';
import { PasswordHasher } from './commands/password-hasher';
import { chooseSuperadmin, resetSuperadmin } from './commands/reset-superadmin';
import { configSchema } from './config';
import { institutionCommand } from './operator/institution-command';
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
     * `reset-superadmin [e-mail [reason…]] [--by NAME] [--dry-run]`: puts a temporary password in place of a
     * superadmin's own and shows it, on the terminal and not in the log.
     */
    async 'reset-superadmin'({ config, db, clock, logger, newId }, args) {
      const { values, positionals } = parseArgs({
        args,
        allowPositionals: true,
        options: ACT_OPTIONS,
      });
      const [email, ...words] = positionals;
      const reason = words.join(' ') || values.reason;
      const act = readAct({ ...values, reason }, { named: false });
      if (act.dry_run) {
        const chosen = await chooseSuperadmin(db.read(systemContext('live')), email);
        process.stdout.write(`${chosen.email}, who is ${chosen.status}, would be reset\n`);
        return;
      }
      const passwords = new PasswordHasher();
      // The service sends it; this process ends.
      const mails = config.SMTP_URL === undefined ? undefined : { wake() {} };
      const reset = await resetSuperadmin(
        { config, db, clock, passwords, mails, newId },
        { email, reason: act.reason, by: act.by },
      );
      process.stdout.write(
        `${reset.email} may sign in until ${reset.expires_at} with: ${reset.temporary_password}\n`,
      );
      logger.warn({ email: reset.email }, 'superadmin reset');
    },

    institution: ({ db, clock }, args) => institutionCommand({ db, clock }, args),

    'verify-audit': ({ config, db, logger }, args) =>
      verifyAuditCommand({ verifier: config.checkpoint_verifier, db, logger }, args),
  },
});
