import { parseArgs } from 'node:util';
import { systemContext } from '@credit/platform/context';
import { ACT_OPTIONS, type Logger, readAct } from '@credit/platform/runtime';
import { chooseSuperadmin, resetSuperadmin } from '../commands/reset-superadmin';
import type { Dependencies } from '../dependencies';

/**
 * `reset-superadmin [e-mail [reason…]] [--by NAME] [--dry-run]`: puts a temporary password in place of a
 * superadmin's own and shows it, on the terminal and not in the log.
 */
export async function resetSuperadminCommand(
  deps: Pick<Dependencies, 'config' | 'db' | 'clock' | 'newId' | 'passwords'> & {
    readonly logger: Pick<Logger, 'warn'>;
  },
  args: string[],
  print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: ACT_OPTIONS,
  });
  const [email, ...words] = positionals;
  const act = readAct({ ...values, reason: words.join(' ') || values.reason }, { named: false });
  if (act.dry_run) {
    const chosen = await chooseSuperadmin(deps.db.read(systemContext('live')), email);
    print(`${chosen.email}, who is ${chosen.status}, would be reset`);
    return;
  }
  // The service sends it; this process ends.
  const mails = deps.config.SMTP_URL === undefined ? undefined : { wake() {} };
  const reset = await resetSuperadmin(
    { ...deps, mails },
    { email, reason: act.reason, by: act.by },
  );
  print(`${reset.email} may sign in until ${reset.expires_at} with: ${reset.temporary_password}`);
  deps.logger.warn({ email: reset.email }, 'superadmin reset');
}
