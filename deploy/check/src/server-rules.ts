import { databaseServices } from './configuration-rules';
import { containersOf, type Finding, type Manifest, titleOf, workloadsOf } from './manifest';

interface Provisioning {
  /** Where it makes roles. */
  readonly host: string;
  readonly services: readonly string[];
  readonly environments: readonly string[];
}

/** The end of a login's key in its Secret. */
const LOGIN = '_login';
const hostOf = (url = '') => /@([a-z-]+):/.exec(url)?.[1] ?? '';

function provisioningOf(manifests: readonly Manifest[]): Provisioning[] {
  return workloadsOf(manifests)
    .flatMap(({ pod }) => containersOf(pod))
    .flatMap(({ env = [] }) => {
      const given = new Map(env.map(({ name, value }) => [name, value]));
      const url = given.get('ADMIN_DATABASE_URL');
      if (url === undefined) return [];
      const list = (name: string) => given.get(name)?.split(',') ?? [];
      return [
        {
          host: hostOf(url),
          services: list('DATABASE_SERVICES'),
          environments: list('DATABASE_ENVIRONMENTS'),
        },
      ];
    });
}

function makes({ services, environments }: Provisioning, role: string): boolean {
  const [service = '', environment] = role.split('_');
  return (
    services.includes(service) &&
    (environment === undefined || environments.length === 0 || environments.includes(environment))
  );
}

/**
 * Where a service's URL leads, its role is made, and nowhere else: a schema on two servers would be two, each
 * with a part of the data.
 */
export function oneServerEach(manifests: readonly Manifest[]): Finding[] {
  const made = provisioningOf(manifests);
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'one server each', title, message });
  const places = new Map<string, string>();
  const hosts = new Set(databaseServices(manifests).map(({ name }) => name));
  // Of an address that leads nowhere another rule complains.
  if (made.some(({ host }) => !hosts.has(host))) return [];
  for (const { manifest, pod } of workloadsOf(manifests)) {
    for (const { env = [] } of containersOf(pod)) {
      for (const { name, value } of env) {
        const host = hostOf(value);
        if (!name.startsWith('DATABASE_URL') || !hosts.has(host)) continue;
        const login = /^postgres:\/\/\$\((\w+)\)@/.exec(value ?? '')?.[1];
        const key = env.find((one) => one.name === login)?.valueFrom?.secretKeyRef?.key ?? '';
        // Of any other login another rule complains.
        if (!key.endsWith(LOGIN)) continue;
        const role = key.slice(0, -LOGIN.length);
        const other = places.get(role) ?? host;
        places.set(role, other);
        const title = titleOf(manifest);
        if (other !== host) say(title, `finds ${role} at ${host}, and others at ${other}`);
        else if (!made.some((one) => one.host === host && makes(one, role))) {
          say(title, `finds ${role} at ${host}, where nothing makes it`);
        }
      }
    }
  }
  return findings;
}
