import { variablesOf } from './configuration-rules';
import {
  containersOf,
  type Finding,
  type Manifest,
  ofKind,
  titleOf,
  workloadsOf,
} from './manifest';
import { admits } from './network-rules';

/** Without these a counter could be lost, or be changed by somebody who is not identity. */
const SETTINGS: Readonly<Record<string, string>> = {
  port: '0',
  'tls-port': '6379',
  'tls-auth-clients': 'yes',
  aclfile: '/etc/credit/users/users.acl',
  appendonly: 'yes',
  'maxmemory-policy': 'noeviction',
};
const CONFIGURATION = 'valkey.conf';
const USERS = 'valkey-users';
/** Of identity: where the server is, and its own password there. */
const URL_SECRET = 'identity-valkey';
const PORT = 6_379;

interface TemplateSpec {
  target?: { template?: { data?: Record<string, string> } };
}

/**
 * Where requests are counted in Valkey, identity reaches it by TLS and a password, nobody else does, and no
 * counter is dropped for want of room.
 */
export function rateStore(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'rate store', title, message });
  const workloads = workloadsOf(manifests);
  const identity = workloads.find(({ title }) => title === 'Deployment identity');
  const counts_in_valkey = identity?.pod.containers
    .flatMap((container) => variablesOf(container, manifests))
    .some(({ name, value }) => name === 'RATE_LIMIT_STORE' && value === 'valkey');
  if (identity !== undefined && counts_in_valkey) {
    const url = templateOf(manifests, URL_SECRET)?.['url'];
    if (url === undefined) say(identity.title, `counts in Valkey, and nothing makes ${URL_SECRET}`);
    else if (!/^rediss:\/\/identity:\{\{ \.password \}\}@/.test(url)) {
      say(identity.title, 'reaches Valkey without TLS, or not under its own name');
    }
  }
  const server = workloads.find(({ title }) => title === 'StatefulSet valkey');
  if (server === undefined) return findings;
  if (!counts_in_valkey) say(server.title, 'is there, and nothing counts in it');
  const settings = settingsOf(manifests);
  for (const [name, wanted] of Object.entries(SETTINGS)) {
    const given = settings.get(name);
    if (given !== wanted) say(server.title, `has ${name} ${given}, which must be ${wanted}`);
  }
  const kept = /^(\d+)mb$/.exec(settings.get('maxmemory') ?? '')?.[1];
  const [room] = containersOf(server.pod)
    .filter(({ name }) => name === 'valkey')
    .map(({ resources }) => mebibytes(resources?.limits?.['memory']));
  if (kept === undefined || room === undefined || 2 * Number(kept) > room) {
    say(
      server.title,
      `may hold ${kept} MB in a container of ${room}, and needs twice that to write`,
    );
  }
  for (const message of userFaults(templateOf(manifests, USERS)?.['users.acl'])) {
    say(`ExternalSecret ${USERS}`, message);
  }
  for (const { title, labels, serves } of workloads) {
    const is_admitted = admits(manifests, labels, { labels: server.labels, port: PORT });
    if (title === identity?.title && !is_admitted) say(server.title, 'does not let identity in');
    if (title !== identity?.title && is_admitted) {
      say(server.title, `lets ${title} in, which ${serves ? 'counts' : 'does'} nothing there`);
    }
  }
  return findings;
}

function templateOf(
  manifests: readonly Manifest[],
  name: string,
): Record<string, string> | undefined {
  const secret = ofKind(manifests, 'ExternalSecret').find(
    (manifest) => titleOf(manifest) === `ExternalSecret ${name}`,
  );
  return (secret?.spec as TemplateSpec | undefined)?.target?.template?.data;
}

function settingsOf(manifests: readonly Manifest[]): Map<string, string> {
  const text =
    ofKind(manifests, 'ConfigMap').find(({ data }) => data?.[CONFIGURATION] !== undefined)?.data?.[
      CONFIGURATION
    ] ?? '';
  const lines = text.split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(' ');
      return [name, value.join(' ')];
    }),
  );
}

function mebibytes(quantity: string | undefined): number | undefined {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity ?? '') ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (unit === 'Gi' ? 1_024 : 1);
}

/** Whoever says no name may ask how the server is; identity may count. */
function userFaults(text: string | undefined): string[] {
  const users = (text ?? '').split('\n').filter((line) => line !== '');
  const faults = users.flatMap((line) => {
    const [, name = '', ...rights] = line.split(' ');
    const wide = rights.filter((right) => /^(\+@|~\*|allkeys|allcommands|allchannels)/.test(right));
    const told = wide.map((right) => `gives ${name} ${right}`);
    if (name === 'default' && rights.some((right) => right.startsWith('~'))) {
      told.push('lets whoever says no name at keys');
    }
    if (name !== 'default' && rights.includes('nopass'))
      told.push(`lets ${name} in without a password`);
    return told;
  });
  const names = users.map((line) => line.split(' ')[1]);
  if (names.join() !== 'default,identity') faults.push(`knows ${names.join(', ')}`);
  return faults;
}
