import ipaddr from 'ipaddr.js';
import { embeddedManifests } from './kustomize';
import {
  type Container,
  containersOf,
  DRILL,
  type Finding,
  type LabelSelector,
  type Manifest,
  type NetworkPolicySpec,
  ofKind,
  type PolicyPeer,
  type PolicyPort,
  selects,
  titleOf,
  type Workload,
  workloadsOf,
} from './manifest';

/** Addresses that nothing outside the cluster may be confused with. */
const METADATA_SERVICES = ['169.254.169.254', '127.0.0.1'];
/** One address of every range that no receiver on the public internet has. */
const NOT_PUBLIC = [
  '0.0.0.1',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::1',
  '::ffff:10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '2001:db8::1',
  '2002:0a00:0001::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
];
/** The one address at which NodeLocal DNSCache answers: https://kubernetes.io/docs/tasks/administer-cluster/nodelocaldns/ */
const NODE_RESOLVER = '169.254.20.10/32';

type Purpose = 'receivers' | 'one purpose' | 'known addresses';

/** Who may leave the cluster, and what for. */
const LEAVES_FOR: Readonly<Record<string, Purpose>> = {
  webhooks: 'receivers',
  identity: 'one purpose',
  'public-probe': 'one purpose',
};

/** What a policy leads to whose addresses the overlay names. */
const LEADS_TO = 'credit-network/leads-to';
/** The largest ranges that providers publish of an object store have so many bits for its addresses. */
const KNOWN_BITS = 17;

interface Policy {
  readonly name: string;
  readonly leads_to: string | undefined;
  readonly spec: NetworkPolicySpec;
}

function policiesOf(manifests: readonly Manifest[]): Policy[] {
  return ofKind(manifests, 'NetworkPolicy').map(({ metadata, spec }) => ({
    name: metadata.name,
    leads_to: metadata.labels?.[LEADS_TO],
    spec: spec as NetworkPolicySpec,
  }));
}

/** Nothing may be reached, and nothing reaches out, that a policy does not name. */
export function isolation(manifests: readonly Manifest[]): Finding[] {
  const policies = policiesOf(manifests);
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'isolation', title, message });

  const denies = policies.some(
    ({ spec }) =>
      takesAll(spec.podSelector) &&
      !spec.ingress?.length &&
      !spec.egress?.length &&
      ['Ingress', 'Egress'].every((type) => spec.policyTypes?.includes(type)),
  );
  if (!denies) say('the namespace', 'has no policy that denies everything else');

  for (const { name, leads_to, spec } of policies) {
    const title = `NetworkPolicy ${name}`;
    const purpose = leads_to === undefined ? LEAVES_FOR[name] : 'known addresses';
    const rules = [
      ...(spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports, way: 'ingress' })),
      ...(spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports, way: 'egress' })),
    ];
    for (const { peers, ports, way } of rules) {
      if (!peers?.length) say(title, `allows ${way} from or to everybody`);
      if (!ports?.length) say(title, `allows ${way} on every port`);
      for (const peer of peers ?? []) {
        if (peer.ipBlock !== undefined) {
          for (const message of blockFindings(name, purpose, way, peer.ipBlock))
            say(title, message);
        } else if (isAnyone(peer)) {
          say(title, `allows ${way} from or to a whole cluster or namespace`);
        }
      }
    }
  }
  return findings;
}

function takesAll(selector: LabelSelector): boolean {
  return !Object.keys(selector.matchLabels ?? {}).length && !selector.matchExpressions?.length;
}

/** Pods of a named foreign namespace are somebody; every pod of one's own or of all is not. */
function isAnyone({ podSelector, namespaceSelector }: PolicyPeer): boolean {
  if (namespaceSelector !== undefined) return takesAll(namespaceSelector);
  return podSelector === undefined || takesAll(podSelector);
}

function blockFindings(
  policy: string,
  purpose: Purpose | undefined,
  way: string,
  block: { cidr: string; except?: string[] },
): string[] {
  if (way === 'egress' && policy === 'domain-names' && block.cidr === NODE_RESOLVER) return [];
  if (way === 'ingress' || purpose === undefined) {
    return [`may not name addresses outside (${way} ${block.cidr})`];
  }
  if (purpose === 'known addresses' && !isKnown(block.cidr)) {
    return [`lets its pods reach ${block.cidr}, which is more than what it leads to`];
  }
  const refused = purpose === 'receivers' ? NOT_PUBLIC : METADATA_SERVICES;
  return refused
    .filter((address) => isIn(block.cidr, address))
    .filter((address) => !block.except?.some((range) => isIn(range, address)))
    .map((address) => `lets ${policy} reach ${address}`);
}

function isKnown(range: string): boolean {
  const [address, bits] = ipaddr.parseCIDR(range);
  return (address.kind() === 'ipv4' ? 32 : 128) - bits <= KNOWN_BITS;
}

function isIn(range: string, text: string): boolean {
  const [base, bits] = ipaddr.parseCIDR(range);
  const address = ipaddr.parse(text);
  return address.kind() === base.kind() && address.match(base, bits);
}

/** Every address that a container is given leads to a port that it may reach and that lets it in. */
export function promisedConnections(manifests: readonly Manifest[]): Finding[] {
  const policies = policiesOf(manifests);
  const workloads = workloadsOf(manifests);
  const clusters = ofKind([...manifests, ...embeddedManifests(manifests)], 'Cluster').map(
    ({ metadata }) => metadata.name,
  );
  const findings: Finding[] = [];
  for (const workload of workloads) {
    for (const container of containersOf(workload.pod)) {
      for (const { variable, host, port } of addressesOf(container, manifests)) {
        const say = (message: string) =>
          findings.push({
            rule: 'promised connections',
            title: workload.title,
            message: `${variable} leads to ${host}:${port}, ${message}`,
          });
        const target = targetOf({ manifests, workloads, clusters }, host, port);
        if (typeof target === 'string') {
          say(target);
          continue;
        }
        if (!allowsEgress(policies, workload, target)) say('which it may not reach');
        if (!allowsIngress(policies, workload, target)) say('which does not let it in');
      }
    }
  }
  return findings;
}

interface Target {
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number;
}

/** Host and port in every value that has one: `dns:///reporting:9090`, `postgres://u:p@db:5432/x`. */
function addressesOf(container: Container, manifests: readonly Manifest[]) {
  const configured = (container.envFrom ?? []).flatMap(({ configMapRef }) => {
    const map = ofKind(manifests, 'ConfigMap').find(
      ({ metadata }) => metadata.name === configMapRef?.name,
    );
    return Object.entries(map?.data ?? {}).map(([name, value]) => ({ name, value }));
  });
  return [...configured, ...(container.env ?? [])].flatMap(({ name, value = '' }) => {
    const match = /^(?:[a-z]+:\/{2,3})?(?:[^@/]*@)?([A-Za-z][A-Za-z0-9.-]*):(\d+)(?:\/|$)/.exec(
      value,
    );
    if (match === null) return [];
    return [{ variable: name, host: match[1] ?? '', port: Number(match[2]) }];
  });
}

/** A sentence when there is no such thing. */
function targetOf(
  {
    manifests,
    workloads,
    clusters,
  }: {
    manifests: readonly Manifest[];
    workloads: readonly Workload[];
    /** Names of databases. */
    clusters: readonly string[];
  },
  host: string,
  port: number,
): Target | string {
  const [name = '', namespace] = host.split('.');
  if (namespace !== undefined) {
    return { labels: { 'kubernetes.io/metadata.name': namespace, external: name }, port };
  }
  for (const cluster_name of clusters) {
    if (['rw', 'ro', 'r'].some((suffix) => name === `${cluster_name}-${suffix}`)) {
      return port === 5432
        ? { labels: { 'cnpg.io/cluster': cluster_name }, port }
        : 'which is no port of a database';
    }
  }
  const service = ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === name);
  if (service === undefined) return 'but there is no such Service';
  const { selector, ports } = service.spec as {
    selector: Record<string, string>;
    ports: Array<{ port: number; targetPort?: number | string }>;
  };
  const found = ports.find((candidate) => candidate.port === port);
  if (found === undefined) return 'but the Service has no such port';
  const database = selector['cnpg.io/cluster'];
  if (database !== undefined) {
    return clusters.includes(database)
      ? { labels: { 'cnpg.io/cluster': database }, port }
      : `but there is no database ${database}`;
  }
  const behind = workloads.find(
    ({ labels, serves }) => serves && selects({ matchLabels: selector }, labels),
  );
  if (behind === undefined) return 'but nothing is behind the Service';
  const container_port = behind.pod.containers
    .flatMap((container) => container.ports ?? [])
    .find(
      (candidate) =>
        candidate.name === found.targetPort ||
        candidate.containerPort === (found.targetPort ?? found.port),
    );
  if (container_port === undefined) return `but ${behind.title} has no such port`;
  return { labels: behind.labels, port: container_port.containerPort };
}

function allowsEgress(policies: readonly Policy[], from: Workload, target: Target): boolean {
  return policies.some(
    ({ spec }) =>
      selects(spec.podSelector, from.labels) &&
      (spec.egress ?? []).some(
        ({ to, ports }) =>
          to?.some((peer) => isPeer(peer, target.labels)) && hasPort(ports, target.port),
      ),
  );
}

/** Whether what has these labels, of a pod or of its namespace, is let in. */
export function admits(
  manifests: readonly Manifest[],
  from: Readonly<Record<string, string>>,
  target: Target,
): boolean {
  return allowsIngress(policiesOf(manifests), { labels: from }, target);
}

function allowsIngress(
  policies: readonly Policy[],
  from: Pick<Workload, 'labels'>,
  target: Target,
): boolean {
  // What is in another namespace is under policies of its own.
  if (target.labels['external'] !== undefined) return true;
  return policies.some(
    ({ spec }) =>
      selects(spec.podSelector, target.labels) &&
      (spec.ingress ?? []).some(
        ({ from: peers, ports }) =>
          // Without peers it is everybody, which another rule refuses.
          (peers === undefined || peers.some((peer) => isPeer(peer, from.labels))) &&
          hasPort(ports, target.port),
      ),
  );
}

function isPeer(
  { podSelector, namespaceSelector }: PolicyPeer,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (namespaceSelector !== undefined) return selects(namespaceSelector, labels);
  return podSelector !== undefined && selects(podSelector, labels);
}

function hasPort(ports: readonly PolicyPort[] | undefined, wanted: number): boolean {
  if (ports === undefined) return true;
  return ports.some(
    ({ port, endPort, protocol = 'TCP' }) =>
      protocol === 'TCP' &&
      typeof port === 'number' &&
      wanted >= port &&
      wanted <= (endPort ?? port),
  );
}

/** What cert-manager starts to show that a public name is ours: https://cert-manager.io/docs/configuration/acme/http01/ */
const SOLVER = { labels: { 'acme.cert-manager.io/http01-solver': 'true' }, port: 8089 };

/** Public certificates can be had and renewed: the way in reaches what answers for the name. */
export function publicCertificates(manifests: readonly Manifest[]): Finding[] {
  const ways = [...ofKind(manifests, 'Gateway'), ...ofKind(manifests, 'Ingress')].filter(
    ({ metadata }) => metadata.annotations?.['cert-manager.io/cluster-issuer'] !== undefined,
  );
  const proxies = ['gateway-system', 'ingress-nginx'].map((name) => ({
    'kubernetes.io/metadata.name': name,
  }));
  if (ways.length === 0 || proxies.some((from) => admits(manifests, from, SOLVER))) return [];
  return ways.map((way) => ({
    rule: 'public certificates',
    title: titleOf(way),
    message: 'has a certificate that cannot be renewed: nothing lets proxies reach its solver',
  }));
}

/** The kinds of what has to leave the namespace by addresses that the overlay names, and whether it archives. */
function leavers(manifests: readonly Manifest[]) {
  const all = [...manifests, ...embeddedManifests(manifests)];
  const archives = ofKind(all, 'ObjectStore').length > 0;
  return [
    ...ofKind(all, 'Cluster').map((manifest) => ({
      title: titleOf(manifest),
      labels: { 'cnpg.io/cluster': manifest.metadata.name },
      needs: ['kubernetes-api', ...(archives ? ['archive'] : [])],
    })),
    ...workloadsOf(manifests)
      .filter(({ manifest }) => manifest.metadata.name.startsWith(DRILL))
      .map(({ title, labels }) => ({ title, labels, needs: ['kubernetes-api'] })),
  ];
}

/** Databases and drills reach the Kubernetes API, databases their archive, and nobody else either. */
export function knownAddresses(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const all = leavers(manifests);
  for (const { name, leads_to, spec } of policiesOf(manifests)) {
    if (leads_to === undefined) continue;
    const others = workloadsOf(manifests).filter(
      ({ title, labels }) =>
        selects(spec.podSelector, labels) &&
        !all.some((one) => one.title === title && one.needs.includes(leads_to)),
    );
    for (const { title } of others) {
      const message = `may reach what ${name} leads to, and has no use for it`;
      findings.push({ rule: 'known addresses', title, message });
    }
  }
  for (const { title, labels, needs } of all) {
    for (const need of needs) {
      const reaches = policiesOf(manifests).some(
        ({ leads_to, spec }) =>
          leads_to === need && selects(spec.podSelector, labels) && spec.egress?.length,
      );
      if (!reaches) {
        findings.push({ rule: 'known addresses', title, message: `may not reach the ${need}` });
      }
    }
  }
  return findings;
}

/** Each pod has a policy for what it may reach that names it, beside those for all. */
export function ownPolicies(manifests: readonly Manifest[]): Finding[] {
  const policies = policiesOf(manifests).filter(({ spec }) => !takesAll(spec.podSelector));
  return workloadsOf(manifests)
    .filter(
      ({ labels }) =>
        !policies.some(
          ({ spec }) => spec.policyTypes?.includes('Egress') && selects(spec.podSelector, labels),
        ),
    )
    .map(({ manifest }) => ({
      rule: 'own policies',
      title: titleOf(manifest),
      message: 'has no network policy of its own',
    }));
}
