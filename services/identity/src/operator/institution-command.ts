import { parseArgs } from 'node:util';
import { systemContext } from '@credit/platform/context';
import { ACT_OPTIONS, readAct } from '@credit/platform/runtime';
import { changeInstitution } from '../commands/update-institution';
import type { Dependencies } from '../dependencies';
import { assertTransition } from '../domain/institutions';
import { findInstitutionDetail, lockInstitution } from '../store/institutions';

/**
 * `institution ID [--suspend | --restore] [--by NAME --reason TEXT] [--dry-run]` shows an institution's state,
 * and suspends it or makes it ACTIVE again: for the day on which no administrator can sign in.
 */
export async function institutionCommand(
  deps: Pick<Dependencies, 'db' | 'clock'>,
  args: string[],
  print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      suspend: { type: 'boolean', default: false },
      restore: { type: 'boolean', default: false },
      ...ACT_OPTIONS,
    },
  });
  const [institution_id, ...more] = positionals;
  if (institution_id === undefined || more.length > 0) throw new Error('Name one institution.');
  const { suspend, restore } = values;
  if (suspend && restore) throw new Error('It is suspended or restored, not both.');
  const ctx = systemContext('live');
  const found = await findInstitutionDetail(deps.db.read(ctx), institution_id);
  if (found === undefined) throw new Error('There is no such institution.');
  const why = found.status_reason === undefined ? '' : `: ${found.status_reason}`;
  print(`${found.id} ${found.name} is ${found.status}${why}`);
  print(
    `  ${found.user_count} active users, ${found.api_key_count} keys in use, ` +
      `${found.invitation_count} open invitations`,
  );
  if (!(suspend || restore)) return;

  const status = suspend ? 'SUSPENDED' : 'ACTIVE';
  const { by, reason, dry_run } = readAct(values, { named: true });
  if (reason === '' && !dry_run) throw new Error('--reason says why; its administrators read it.');
  assertTransition(found.status, status);
  if (dry_run) {
    print(`  it would be ${status}`);
    return;
  }
  await deps.db.transaction(ctx, async (tx) => {
    const before = await lockInstitution(tx, institution_id);
    if (before === undefined) throw new Error('There is no such institution.');
    await changeInstitution(tx, deps.clock, before, { status, reason }, { by });
  });
  print(`  it is ${status} now`);
}
