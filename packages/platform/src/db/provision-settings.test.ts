import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readProvisionSettings } from './provision-settings';

const ROLES = [
  'identity',
  'reporting_live',
  'reporting_test',
  'scoring_live',
  'scoring_test',
  'disputes_live',
  'disputes_test',
  'webhooks_live',
  'webhooks_test',
];
const URLS = {
  ADMIN_DATABASE_URL: 'postgres://admin@db/credit',
  DATABASE_NAME: 'credit',
  DATABASE_SERVICES: 'identity,reporting, scoring,disputes,webhooks',
};
const password = (role: string) => `password-of-${role}`;

describe('settings of provisioning', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'passwords-'));
    for (const role of ROLES) await writeFile(path.join(directory, role), password(role));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('takes a password for every role from a folder', async () => {
    await writeFile(path.join(directory, 'identity'), `${password('identity')}\n`);

    const settings = await readProvisionSettings({ ...URLS, PASSWORDS_DIRECTORY: directory });

    expect(settings.passwords).toEqual(
      Object.fromEntries(ROLES.map((role) => [role, password(role)])),
    );
    expect(settings).toMatchObject({ admin_url: URLS.ADMIN_DATABASE_URL, database: 'credit' });
  });

  it('takes second logins with their passwords where there are any', async () => {
    await writeFile(path.join(directory, 'scoring_live_b'), password('scoring_live_b'));
    const folder = { ...URLS, PASSWORDS_DIRECTORY: directory };

    const { passwords } = await readProvisionSettings(folder);
    expect(Object.keys(passwords)).toHaveLength(ROLES.length + 1);
    expect(passwords['scoring_live_b']).toBe(password('scoring_live_b'));

    await writeFile(path.join(directory, 'scoring_live_b'), 'short');
    await expect(readProvisionSettings(folder)).rejects.toThrow('scoring_live_b must hold');
  });

  it('takes them from variables where there is no folder', async () => {
    const variables = ROLES.map((role) => [`DATABASE_PASSWORD_${role.toUpperCase()}`, role]);

    const settings = await readProvisionSettings({
      ...URLS,
      ...Object.fromEntries(variables.map(([name, role]) => [name, password(role as string)])),
    });

    expect(Object.keys(settings.passwords)).toEqual(ROLES);
    expect(settings.passwords['webhooks_test']).toBe(password('webhooks_test'));
  });

  it('names all that is missing or unfit at once, and shows no password', async () => {
    await rm(path.join(directory, 'scoring_live'));
    await writeFile(path.join(directory, 'disputes_test'), 'needs@escaping/in a URL');
    await writeFile(path.join(directory, 'webhooks_live'), 'short');

    const refusal = await readProvisionSettings({
      PASSWORDS_DIRECTORY: directory,
      DATABASE_SERVICES: URLS.DATABASE_SERVICES,
    }).then(
      () => '',
      (error: Error) => error.message,
    );

    for (const part of ['ADMIN_DATABASE_URL is not set', 'DATABASE_NAME is not set']) {
      expect(refusal).toContain(part);
    }
    expect(refusal).toContain('scoring_live is missing');
    expect(refusal).not.toContain('DATABASE_SERVICES');
    expect(refusal).toContain('disputes_test must hold');
    expect(refusal).toContain('webhooks_live must hold');
    expect(refusal).not.toMatch(/needs@|short|reporting/);
  });

  it('asks for the passwords of those environments alone whose data the server has', async () => {
    const folder = { ...URLS, PASSWORDS_DIRECTORY: directory };
    const live = await readProvisionSettings({ ...folder, DATABASE_ENVIRONMENTS: 'live' });
    expect(live.environments).toEqual(['live']);
    expect(Object.keys(live.passwords)).toEqual(ROLES.filter((role) => !role.endsWith('_test')));
    expect((await readProvisionSettings(folder)).environments).toEqual(['live', 'test']);

    const wrong = readProvisionSettings({ ...folder, DATABASE_ENVIRONMENTS: 'live,prod' });
    await expect(wrong).rejects.toThrow('DATABASE_ENVIRONMENTS must list live, test or both');
  });

  it('does not take an empty list of services for a job well done', async () => {
    await expect(readProvisionSettings({ ...URLS, DATABASE_SERVICES: ' ,' })).rejects.toThrow(
      'DATABASE_SERVICES is not set',
    );
  });
});
