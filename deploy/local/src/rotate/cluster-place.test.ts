import type { Execute } from './cluster-place';
import { ClusterPlace } from './cluster-place';
import { ROTATIONS } from './rotations';

const ROLES = [
  'identity',
  ...['reporting', 'scoring', 'disputes', 'webhooks'].flatMap((name) => [
    `${name}_live`,
    `${name}_test`,
  ]),
];
const key = (letter: string) => Buffer.alloc(32, letter).toString('base64');

/** What was done, without what was only looked at; and a command that is to fail. */
let changes: string[];
let fail_at: string | undefined;
let store: Record<string, Record<string, string>>;
let annotations: Record<string, string>;
let place: ClusterPlace;

/** Stands in for a cluster: what is put into the store is in its Secrets at once. */
const execute: Execute = async ([command, ...args], input) => {
  const said = args.filter((arg) => arg !== '--namespace=credit').join(' ');
  if (fail_at !== undefined && said.includes(fail_at)) return { code: 1, output: '' };
  const [verb = '', kind, name = '', annotation = ''] = said.split(' ');
  if (command === 'sh') {
    const stored = args.at(-1) ?? '';
    store[stored] = { ...store[stored], ...JSON.parse(input ?? '{}') };
    changes.push(`put ${stored}`);
  } else if (verb === 'annotate' && annotation.startsWith('credit-network/')) {
    const [which = '', value] = annotation.split('=');
    annotations = value === undefined ? {} : { [which]: value };
  } else if (verb === 'get' && kind === 'externalsecret') {
    return { code: 0, output: JSON.stringify({ metadata: { annotations } }) };
  } else if (verb === 'get') {
    return { code: 0, output: JSON.stringify({ data: secretOf(name) }) };
  } else if (!/^(annotate|rollout status)/.test(said)) {
    changes.push(`${command === 'kubectl' ? '' : `${command} `}${said}`);
  }
  return { code: 0, output: '' };
};

function secretOf(name: string): Record<string, string> {
  const service = /^(\w+)-database$/.exec(name)?.[1];
  const key_of: Record<string, string> = {
    'webhooks-keys': 'webhooks',
    'identity-audit-keys': 'audit',
  };
  const values =
    service === undefined
      ? (store[`credit-network/${key_of[name]}`] ?? {})
      : loginsOf(service, store['credit-network/database'] ?? {});
  return Object.fromEntries(
    Object.entries(values).map(([one, value]) => [one, Buffer.from(value).toString('base64')]),
  );
}

/** As the template of the ExternalSecret makes them. */
function loginsOf(
  service: string,
  { login, ...passwords }: Record<string, string>,
): Record<string, string> {
  const own = Object.entries(passwords).filter(([name]) => name.startsWith(service));
  const used = ROLES.filter((role) => role.startsWith(service)).map((role) => {
    const name = login === 'second' ? `${role}_b` : role;
    return [`${role}_login`, `${name}:${passwords[name]}`];
  });
  return Object.fromEntries([...own, ...used]);
}

beforeEach(() => {
  changes = [];
  fail_at = undefined;
  annotations = {};
  const passwords = ROLES.flatMap((role) => [role, `${role}_b`]).map((name) => [name, 'old']);
  store = {
    'credit-network/database': { login: 'first', ...Object.fromEntries(passwords) },
    'credit-network/webhooks': { current: key('w'), previous: '' },
    'credit-network/audit': { current: key('a'), public: '' },
  };
  place = new ClusterPlace({
    root: '/root',
    overlay: 'prod',
    namespace: 'credit',
    kubectl: ['kubectl'],
    store: './put-secret',
    execute,
    say: () => {},
  });
});

it('changes database passwords of one login after the other', async () => {
  await ROTATIONS.database(place);
  const roll = (name: string) => `rollout restart deployment/${name}`;
  expect(changes).toEqual([
    'put credit-network/database',
    '/root/deploy/k8s/apply.sh prod provision',
    'put credit-network/database',
    ...['identity', 'reporting', 'scoring', 'disputes', 'webhooks'].map(roll),
    'put credit-network/database',
    '/root/deploy/k8s/apply.sh prod provision',
  ]);
  const { login, ...passwords } = store['credit-network/database'] ?? {};
  expect(login).toBe('second');
  expect(new Set(Object.values(passwords)).size).toBe(2 * ROLES.length);
  for (const password of Object.values(passwords)) expect(password).toMatch(/^[0-9a-f]{48}$/);
});

it('begins anew where it was cut off while services moved, and changes nothing under them', async () => {
  fail_at = 'rollout status deployment/scoring';
  await expect(ROTATIONS.database(place)).rejects.toThrow();
  expect(store['credit-network/database']?.['login']).toBe('second');
  const before = store['credit-network/database'] ?? {};
  await expect(place.newPasswords('first')).rejects.toThrow('in use');
  await expect(place.newPasswords('second')).rejects.toThrow('in use');
  expect(store['credit-network/database']).toEqual(before);

  fail_at = undefined;
  await ROTATIONS.database(place);
  const after = store['credit-network/database'] ?? {};
  expect(after['login']).toBe('first');
  for (const name of Object.keys(before)) expect(after[name]).not.toBe(before[name]);
});

it('changes a sealing key by way of previous, and seals anew before the old one goes', async () => {
  await ROTATIONS.webhooks(place);
  const roll = 'rollout restart deployment/webhooks';
  expect(changes).toEqual([
    'put credit-network/webhooks',
    roll,
    'put credit-network/webhooks',
    roll,
    'exec deployment/webhooks -- /nodejs/bin/node /app/main.js sealed-secrets --reseal',
    'put credit-network/webhooks',
    roll,
  ]);
  expect(store['credit-network/webhooks']).toMatchObject({ previous: '' });
  expect(store['credit-network/webhooks']?.['current']).not.toBe(key('w'));
});

it('goes no further where a rollout does not end, and has harmed nothing', async () => {
  fail_at = 'rollout status';
  await expect(ROTATIONS.audit(place)).rejects.toThrow();
  expect(store['credit-network/audit']?.['current']).toBe(key('a'));
  expect(store['credit-network/audit']?.['public']?.split(',')).toHaveLength(2);
});

it('leaves certificates to cert-manager', async () => {
  await expect(ROTATIONS.authority(place)).rejects.toThrow('docs/SECRETS.md');
  expect(changes).toEqual([]);
});
