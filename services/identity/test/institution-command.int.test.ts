import { systemClock } from '@credit/platform/runtime';
import { institutionCommand } from '../src/operator/institution-command';
import { outboxOf, useIdentity } from './support/identity';

const identity = useIdentity();

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const { db } = identity.database;
  await institutionCommand({ db, clock: systemClock }, args, (line) => lines.push(line));
  return lines.join('\n');
}

const statusOf = async (id: string) =>
  (await identity.sql('SELECT status FROM institutions WHERE id = $1', [id]))[0]?.['status'];

test('an operator sees, suspends and restores an institution, which is told to all and audited', async () => {
  const id = identity.member.institution_id;
  expect(await run(id)).toContain('is ACTIVE');
  await expect(run(id, '--suspend', '--reason', 'ticket 7')).rejects.toThrow('--by');
  await expect(run(id, '--suspend', '--by', 'Ada')).rejects.toThrow('--reason');
  await expect(run(id, '--restore', '--by', 'Ada', '--reason', 'x')).rejects.toThrow('ACTIVE');
  expect(await run(id, '--suspend', '--dry-run')).toContain('it would be SUSPENDED');
  expect(await statusOf(id)).toBe('ACTIVE');

  const words = ['--by', 'Ada', '--reason', 'keys leaked, ticket 7'];
  expect(await run(id, '--suspend', ...words)).toContain('it is SUSPENDED now');
  expect(await statusOf(id)).toBe('SUSPENDED');
  expect(await run(id)).toContain('is SUSPENDED: keys leaked, ticket 7');
  const told = (await outboxOf(identity)).map(({ payload }) => payload);
  const audited = told.flatMap((payload) =>
    payload?.$case === 'audit_recorded' && payload.value.action === 'institution.suspended'
      ? [[payload.value.institution_id, JSON.parse(payload.value.changes_json)]]
      : [],
  );
  // The network's log and the institution's own.
  const changes = expect.objectContaining({ by: 'Ada', reason: 'keys leaked, ticket 7' });
  expect(audited).toEqual([
    ['', changes],
    [id, changes],
  ]);
  expect(told.filter((payload) => payload?.$case === 'institution_changed').length).toBeGreaterThan(
    1,
  );
  expect(await run(id, '--restore', ...words)).toContain('it is ACTIVE now');
  expect(await statusOf(id)).toBe('ACTIVE');
});

test('an operator cannot change what is not there, nor two ways at once', async () => {
  const { institution_id } = identity.member;
  await expect(run()).rejects.toThrow('Name one institution');
  await expect(run('00000000-0000-7000-8000-000000000000')).rejects.toThrow('no such institution');
  await expect(run(institution_id, '--suspend', '--restore')).rejects.toThrow('not both');
});
