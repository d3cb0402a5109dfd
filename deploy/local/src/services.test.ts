import {
  metricsPort,
  preferredPorts,
  SERVICES,
  type ServiceDefinition,
  type Surroundings,
  serviceEnvironment,
} from './services';

const SURROUNDINGS: Surroundings = {
  inherited: {},
  ports: {
    identity: 1,
    reporting: 2,
    scoring: 3,
    'scoring-documents': 13,
    disputes: 4,
    webhooks: 5,
    gateway: 8080,
  },
  databases: Object.fromEntries(
    ['identity', 'reporting', 'scoring', 'disputes', 'webhooks'].map((name) => [
      name,
      { live: `postgres://${name}_live`, test: `postgres://${name}_test` },
    ]),
  ),
  nats_urls: Object.fromEntries(
    ['identity', 'reporting', 'scoring', 'disputes', 'webhooks'].map((name) => [
      name,
      `nats://${name}:password@here`,
    ]),
  ),
  secrets: {
    WEBHOOK_SECRET_KEY: 'key',
    WEBHOOK_SECRET_KEYS_PREVIOUS: 'older',
    AUDIT_SIGNING_KEY: 'seed',
    AUDIT_PUBLIC_KEYS: 'older public',
    SECOND_FACTOR_KEY: 'factor sealing',
    SECOND_FACTOR_KEYS_PREVIOUS: 'older factor sealing',
    PERSON_OIDC_CLIENT_SECRET: 'client secret',
    BOOTSTRAP_EMAIL: 'root@local.test',
    BOOTSTRAP_PASSWORD: 'secret',
    CONSOLE_KEY: 'sealing',
    CONSOLE_KEYS_PREVIOUS: 'older sealing',
  },
  authority_file: '/data/ca.pem',
};

function service(name: string): ServiceDefinition {
  const found = SERVICES.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`There is no service ${name}.`);
  return found;
}

const environment = (name: string, inherited: NodeJS.ProcessEnv = {}) =>
  serviceEnvironment(service(name), { ...SURROUNDINGS, inherited });

const LOCAL = {
  WEBHOOK_ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
  WEBHOOK_CA_FILE: '/data/ca.pem',
  RATE_LIMIT_PER_MINUTE: '60000',
  // A day of full minutes: the minute is the limit that is met.
  RATE_LIMIT_PER_DAY: '86400000',
  PERSON_DOOR: 'on',
  RATE_LIMIT_PERSON_PER_MINUTE: '60000',
  RATE_LIMIT_PERSON_PER_DAY: '86400000',
  AUDIT_CHECKPOINT_EVERY_S: '2',
  AUDIT_CHECKPOINT_POLL_MS: '2000',
  EVENT_LOG_SETTLE_S: '2',
  EVENT_LOG_EVERY_S: '1',
  EVENT_LOG_POLL_MS: '2000',
  DRAIN_GRACE_MS: '0',
};

describe("a service's environment", () => {
  it('names where it listens, its peers, and its own databases only', () => {
    expect(environment('scoring')).toEqual({
      ...LOCAL,
      RPC_ADDRESS: '127.0.0.1:3',
      HTTP_ADDRESS: '127.0.0.1:13',
      REPORTING_ADDRESS: '127.0.0.1:2',
      NATS_URL: 'nats://scoring:password@here',
      DATABASE_URL_LIVE: 'postgres://scoring_live',
      DATABASE_URL_TEST: 'postgres://scoring_test',
    });
    expect(environment('gateway')).toEqual({
      ...LOCAL,
      BIND_ADDRESS: '127.0.0.1',
      PORT: '8080',
      PUBLIC_ORIGIN: 'http://127.0.0.1:8080',
      IDENTITY_ADDRESS: '127.0.0.1:1',
      REPORTING_ADDRESS: '127.0.0.1:2',
      SCORING_ADDRESS: '127.0.0.1:3',
      SCORING_HTTP_ADDRESS: '127.0.0.1:13',
      DISPUTES_ADDRESS: '127.0.0.1:4',
      WEBHOOKS_ADDRESS: '127.0.0.1:5',
      CONSOLE_KEY: 'sealing',
      CONSOLE_KEYS_PREVIOUS: 'older sealing',
    });
  });

  it('gives a secret to the service that needs it, and to no other', () => {
    expect(environment('identity')).toEqual({
      ...LOCAL,
      RPC_ADDRESS: '127.0.0.1:1',
      NATS_URL: 'nats://identity:password@here',
      DATABASE_URL: 'postgres://identity_live',
      AUDIT_PUBLIC_KEYS: 'older public',
      AUDIT_SIGNING_KEY: 'seed',
      SECOND_FACTOR_KEY: 'factor sealing',
      SECOND_FACTOR_KEYS_PREVIOUS: 'older factor sealing',
      PERSON_OIDC_CLIENT_SECRET: 'client secret',
      BOOTSTRAP_EMAIL: 'root@local.test',
      BOOTSTRAP_PASSWORD: 'secret',
      PUBLIC_ORIGIN: 'http://127.0.0.1:8080',
    });
    const given = {
      WEBHOOK_SECRET_KEY: 'given',
      WEBHOOK_SECRET_KEYS_PREVIOUS: 'given',
      AUDIT_PUBLIC_KEYS: 'given',
      AUDIT_SIGNING_KEY: 'given',
      SECOND_FACTOR_KEY: 'given',
      SECOND_FACTOR_KEYS_PREVIOUS: 'given',
      PERSON_OIDC_CLIENT_SECRET: 'given',
      BOOTSTRAP_PASSWORD: 'given',
      BOOTSTRAP_EMAIL: 'given',
      CONSOLE_KEY: 'given',
      CONSOLE_KEYS_PREVIOUS: 'given',
      // This machine makes none of these: they are the operator's, and may hold a password.
      SMTP_URL: 'given',
      MAIL_FROM: 'given',
      VALKEY_URL: 'given',
      DATABASE_URL: 'postgres://admin',
    };
    for (const { name, secrets } of SERVICES) {
      const names = Object.keys(environment(name, given)).filter((key) => key in given);
      const expected = [...secrets, ...(name === 'identity' ? ['DATABASE_URL'] : [])];
      expect(names.sort()).toEqual(expected.sort());
      expect(environment(name, given).DATABASE_URL).not.toBe('postgres://admin');
    }
  });

  it('lets the operator set limits and override the local defaults', () => {
    expect(
      environment('webhooks', { RATE_LIMIT_PER_MINUTE: '5', WEBHOOK_CA_FILE: '', LANG: 'C' }),
    ).toMatchObject({ RATE_LIMIT_PER_MINUTE: '5', WEBHOOK_CA_FILE: '/data/ca.pem', LANG: 'C' });
  });

  it('takes the documented ports beside the default one only', () => {
    expect(preferredPorts(SERVICES, 8080)).toEqual({
      gateway: 8080,
      identity: 9101,
      reporting: 9102,
      scoring: 9103,
      'scoring-documents': 9113,
      disputes: 9104,
      webhooks: 9105,
    });
    expect(preferredPorts(SERVICES, 3000)).toMatchObject({ gateway: 3000, identity: undefined });
    expect(preferredPorts(SERVICES, 0).gateway).toBeUndefined();
  });

  it('gives each service a metrics port of its own, when metrics are wanted', () => {
    const ports = SERVICES.map(({ name }) => metricsPort({ METRICS_PORT: '9400' }, SERVICES, name));
    expect(ports).toEqual(['9400', '9401', '9402', '9403', '9404', '9405']);
    expect(metricsPort({}, SERVICES, 'identity')).toBeUndefined();
  });
});
