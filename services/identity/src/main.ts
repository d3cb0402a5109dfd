import './telemetry';
import path from 'node:path';
import { systemContext } from '@credit/platform/context';
import { runService } from '@credit/platform/runtime';
import { PasswordHasher } from './commands/password-hasher';
import { resetSuperadmin } from './commands/reset-superadmin';
import { configSchema } from './config';
import { verifyAuditChains } from './queries/verify-audit-chain';
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
    async 'reset-superadmin'({ config, db, clock, logger }, [email, ...reason]) {
      const passwords = new PasswordHasher();
      const reset = await resetSuperadmin(
        { config, db, clock, passwords },
        { email, reason: reason.join(' ').slice(0, 2_000) },
      );
      process.stdout.write(
        `${reset.email} may sign in until ${reset.expires_at} with: ${reset.temporary_password}\n`,
      );
      logger.warn({ email: reset.email }, 'superadmin reset');
    },

    /** `verify-audit [institution id]`: exit code 1 when a chain is broken. */
    async 'verify-audit'({ db, logger }, [institution_id]) {
      const reports = await verifyAuditChains(db, systemContext('live'), institution_id ?? null);
      for (const { chain_id, head, verified, fault } of reports) {
        const found = {
          chain_id,
          records: Number(verified),
          // Kept elsewhere, it also proves that the chain was not written anew.
          head: head.hash.toString('hex'),
        };
        if (fault === undefined) logger.info(found, 'chain is whole');
        else {
          logger.error({ ...found, ...fault, sequence: Number(fault.sequence) }, 'chain is broken');
        }
      }
      if (reports.some((report) => report.fault !== undefined)) process.exitCode = 1;
      if (reports.length === 0) logger.info('there is no chain');
    },
  },
});
