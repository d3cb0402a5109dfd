import { readSettings } from './settings';

const ROOT = '/project';

describe('reading the settings', () => {
  it('has a default for everything', () => {
    expect(readSettings({}, ROOT)).toEqual({
      data_directory: '/project/.data',
      port: 8080,
      database_url: undefined,
      postgres_fsync: 'on',
      nats_url: undefined,
      log_format: 'line',
      verbose: false,
      replicas: 1,
      stream_replicas: 1,
      mutual_tls: false,
      peer_ports: {},
      services_root: '/project',
      identity_provider: true,
    });
  });

  it('takes an empty variable for one not given', () => {
    const env = { PORT: '', DATA_DIR: '', DATABASE_URL: '', NATS_URL: '', BOOTSTRAP_EMAIL: '' };
    expect(readSettings(env, ROOT)).toEqual(readSettings({}, ROOT));
  });

  it('starts no provider of identities where there is one, or none is wanted', () => {
    for (const env of [{ IDENTITY_PROVIDER: 'none' }, { PERSON_OIDC_ISSUER: 'https://id.test' }]) {
      expect(readSettings(env, ROOT).identity_provider).toBe(false);
    }
  });

  it('puts a relative data folder into the project', () => {
    expect(readSettings({ DATA_DIR: 'mine' }, ROOT).data_directory).toBe('/project/mine');
    expect(readSettings({ DATA_DIR: '/srv/mine' }, ROOT).data_directory).toBe('/srv/mine');
  });

  it('reads by which ports callers reach others', () => {
    const env = { PEER_PORTS: 'gateway>identity=4001,gateway>identity-2=4002' };
    expect(readSettings(env, ROOT).peer_ports).toEqual({
      'gateway>identity': 4001,
      'gateway>identity-2': 4002,
    });
    expect(() => readSettings({ PEER_PORTS: 'identity=1' }, ROOT)).toThrow(
      'PEER_PORTS must be a list of caller>process=port, not "identity=1".',
    );
  });

  it.each(['http', '80a', '-1', '65536', '8080.5', ' '])('refuses the port %j', (text) => {
    expect(() => readSettings({ PORT: text }, ROOT)).toThrow(
      `PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}.`,
    );
  });

  it.each(['0', '6', '1.5', 'two'])('refuses %j replicas', (text) => {
    expect(() => readSettings({ REPLICAS: text }, ROOT)).toThrow(
      `REPLICAS must be a number from 1 to 5, not ${JSON.stringify(text)}.`,
    );
  });

  it('refuses half a superadmin', () => {
    expect(() => readSettings({ BOOTSTRAP_EMAIL: 'a@b.test' }, ROOT)).toThrow(
      'BOOTSTRAP_EMAIL and BOOTSTRAP_PASSWORD are given together or not at all.',
    );
  });
});
