import './telemetry';
import path from 'node:path';
import { runService } from '@credit/platform/runtime';
import { PasswordHasher } from './commands/password-hasher';
import { configSchema } from './config';
import { auditExportCommand } from './operator/audit-export-command';
import { institutionCommand } from './operator/institution-command';
import { resetSuperadminCommand } from './operator/reset-superadmin-command';
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
    'reset-superadmin': (deps, args) =>
      resetSuperadminCommand({ ...deps, passwords: new PasswordHasher() }, args),

    institution: ({ db, clock }, args) => institutionCommand({ db, clock }, args),

    'audit-export': ({ config, db, clock }, args) =>
      auditExportCommand({ config, db, clock }, args),

    'verify-audit': ({ config, db, logger }, args) =>
      verifyAuditCommand({ verifier: config.checkpoint_verifier, db, logger }, args),
  },
});
