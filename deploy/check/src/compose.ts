import { readFileSync } from 'node:fs';
import path from 'node:path';
import { serverAuthorization } from '@credit/platform/bus';
import { logLeaks } from '@credit/platform/db';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { variableFaults } from './configuration-rules';
import { ROOT } from './kustomize';
import type { Finding } from './manifest';

const FILE = path.join(ROOT, 'deploy/compose.yaml');
export const NATS_FILE = path.join(ROOT, 'deploy/nats.conf');

interface ComposeService {
  image: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  healthcheck?: unknown;
  depends_on?: Record<string, { condition: string }>;
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}

/** The file for laptops: the same variables, no secret, nothing open to the network, no privilege. */
export function checkCompose(
  content = readFileSync(FILE, 'utf8'),
  nats_configuration = readFileSync(NATS_FILE, 'utf8'),
): Finding[] {
  const { services } = load(content, { schema: YAML11_SCHEMA }) as {
    services: Record<string, ComposeService>;
  };
  const findings = Object.entries(services).flatMap(([title, service]) =>
    faultsOf(service, services).map((message) => ({ rule: 'compose', title, message })),
  );
  if (nats_configuration !== composeNatsConfiguration()) {
    findings.push({
      rule: 'compose',
      title: 'nats',
      message: 'gives other rights than services use',
    });
  }
  return findings;
}

/** The whole configuration of its NATS: everybody by a password that the environment knows. */
export function composeNatsConfiguration(): string {
  const authorization = serverAuthorization((user) => ({
    variable: `NATS_PASSWORD_${user.toUpperCase()}`,
  }));
  return `# Made of packages/platform/src/bus/rights.ts: see CONTRIBUTING.md.
http: "0.0.0.0:8222"
jetstream {
  store_dir: "/data"
}
${authorization}`;
}

function faultsOf(
  service: ComposeService,
  all: Readonly<Record<string, ComposeService>>,
): string[] {
  const { environment = {}, image, entrypoint, command, depends_on = {} } = service;
  const faults: string[] = [];
  const own = /^credit-network\/([a-z]+):/.exec(image)?.[1];
  if (own !== undefined) {
    // Compose replaces ${NAME}; what comes out is not known here.
    const given = Object.entries(environment).map(([name, value]) => ({
      name,
      value: /^\$\{[A-Z_]+\}$/.test(value) ? undefined : value,
    }));
    faults.push(...variableFaults(own, given, entrypoint));
    const hardened =
      service.read_only === true &&
      service.cap_drop?.includes('ALL') &&
      service.security_opt?.includes('no-new-privileges:true');
    if (!hardened) faults.push('is not hardened');
  } else if (!/:[\w.-]+(@sha256:[0-9a-f]{64})?$/.test(image) || /:latest/.test(image)) {
    faults.push(`${image} may be any version`);
  }
  if (/(^|\/)postgres:/.test(image)) {
    const settings = (command ?? []).flatMap((part) => {
      const [, name, value] = /^--([a-z_.]+)=(.*)$/.exec(part) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    });
    faults.push(...logLeaks(Object.fromEntries(settings)));
  }
  const runs_on = entrypoint === undefined && command?.[0] !== 'migrate';
  if (runs_on && service.healthcheck === undefined) faults.push('has no health check');
  for (const [name, value] of Object.entries(environment)) {
    const is_secret = /PASSWORD|SIGNING_KEY|SECRET_KEY/.test(name) && !/^"?\$\{/.test(value);
    if (is_secret || /:\/\/[^/@:]*:(?!\$\{)[^/@]+@/.test(value))
      faults.push(`${name} is in the file`);
  }
  for (const port of service.ports ?? []) {
    if (!port.startsWith('127.0.0.1:')) faults.push(`is open to the network on ${port}`);
  }
  for (const [name, { condition }] of Object.entries(depends_on)) {
    const other = all[name];
    if (other === undefined) faults.push(`waits for ${name}, which does not exist`);
    else if (condition === 'service_healthy' && other.healthcheck === undefined) {
      faults.push(`waits for ${name} to be healthy, which never says so`);
    }
  }
  return faults;
}
