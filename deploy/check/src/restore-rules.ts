import { databaseServices, servingDatabases } from './configuration-rules';
import { embeddedManifests } from './kustomize';
import {
  type Container,
  containersOf,
  DRILL,
  type Finding,
  type Manifest,
  ofKind,
  titleOf,
  workloadsOf,
} from './manifest';

interface Plugin {
  readonly isWALArchiver?: boolean;
  readonly parameters?: { readonly barmanObjectName?: string; readonly serverName?: string };
}

interface ClusterSpec {
  readonly instances: number;
  readonly bootstrap?: { readonly recovery?: { readonly source?: string } };
  readonly externalClusters?: ReadonlyArray<{ readonly name: string; readonly plugin?: Plugin }>;
  readonly plugins?: readonly Plugin[];
  readonly backup?: { readonly volumeSnapshot?: { readonly className?: string } };
  readonly replica?: { readonly enabled?: boolean; readonly source?: string };
  readonly certificates?: { readonly serverTLSSecret?: string };
  readonly postgresql?: { readonly parameters?: Readonly<Record<string, string>> };
}

const HIBERNATION = 'cnpg.io/hibernation';
/** Recovery refuses to begin with less than the original has. */
const AT_LEAST = ['max_connections', 'max_worker_processes', 'max_prepared_transactions'];
/** What is run against a copy before anybody is led to it, and before a drill has gone well. */
const VERIFICATIONS = {
  copy: ['verify-record', 'verify-audit', 'reconcile'],
  drill: ['restore-drill end', 'verify-record', 'verify-audit'],
} as const;
/** Whose data a command verifies; any server can be asked what was written last. */
const ANYBODY = '';
const VERIFIES: Readonly<Record<string, string>> = {
  'verify-record': 'reporting',
  'verify-audit': 'identity',
};

const specOf = ({ spec }: Manifest) => spec as ClusterSpec;

/** Where servers archive to and come from: a place in a bucket, and a name there. */
class Archives {
  private readonly places: ReadonlyMap<string, string>;

  constructor(manifests: readonly Manifest[]) {
    this.places = new Map(
      ofKind(manifests, 'ObjectStore').map(({ metadata, spec }) => [
        metadata.name,
        (spec as { configuration: { destinationPath: string } }).configuration.destinationPath,
      ]),
    );
  }

  /** Undefined where nothing is archived. */
  of(cluster: Manifest): string | undefined {
    const plugin = specOf(cluster).plugins?.find(({ isWALArchiver }) => isWALArchiver);
    return plugin && this.placeOf(plugin, cluster.metadata.name);
  }

  /** What a server is made of or follows; undefined for one that began empty. */
  originOf(cluster: Manifest): string | undefined {
    const { bootstrap, externalClusters = [], replica } = specOf(cluster);
    const source = bootstrap?.recovery?.source ?? replica?.source;
    if (source === undefined) return undefined;
    const plugin = externalClusters.find(({ name }) => name === source)?.plugin;
    return plugin === undefined ? `no archive: ${source}` : this.placeOf(plugin, source);
  }

  private placeOf({ parameters }: Plugin, cluster: string): string {
    const store = parameters?.barmanObjectName ?? '';
    const place = this.places.get(store) ?? `no ObjectStore: ${store}`;
    return `${place}/${parameters?.serverName ?? cluster}`;
  }
}

/**
 * Whatever is kept can be had back: every server archives where nobody else does, is backed up, and its backup
 * is tried and measured. Only where there are archives at all.
 */
export function restorable(manifests: readonly Manifest[]): Finding[] {
  const clusters = ofKind(manifests, 'Cluster');
  const archives = new Archives(manifests);
  if (!clusters.some((cluster) => archives.of(cluster) !== undefined)) return [];
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'restorable', title, message });
  const copies = ofKind(embeddedManifests(manifests), 'Cluster');
  const backups = ofKind(manifests, 'ScheduledBackup').map(
    ({ spec }) =>
      spec as {
        cluster: { name: string };
        suspend?: boolean;
        method?: 'plugin' | 'volumeSnapshot';
      },
  );
  const isTaken = (cluster: string, method: string) =>
    backups.some(
      (backup) =>
        backup.cluster.name === cluster && backup.method === method && backup.suspend !== true,
    );
  for (const cluster of clusters) {
    const title = titleOf(cluster);
    const { name, annotations } = cluster.metadata;
    const archive = archives.of(cluster);
    if (archive === undefined) {
      say(title, 'archives nothing');
      continue;
    }
    const others = clusters.filter((other) => other !== cluster).map((other) => archives.of(other));
    if ([...others, archives.originOf(cluster)].includes(archive)) {
      say(title, `archives to ${archive}, over another archive`);
    }
    if (annotations?.[HIBERNATION] === 'on') continue;
    // Snapshots are in the same storage as what they are of.
    if (!isTaken(name, 'plugin')) say(title, 'has no base backups');
    const has_class = specOf(cluster).backup?.volumeSnapshot?.className !== undefined;
    if (has_class !== isTaken(name, 'volumeSnapshot')) {
      say(title, 'has snapshots without a class, or a class and no snapshots');
    }
    // A copy that nobody is led to yet is drilled once it serves.
    if (!servingDatabases(manifests).includes(cluster)) continue;
    const drill = workloadsOf(manifests).find(
      ({ manifest }) => manifest.metadata.name === `${DRILL}${name}`,
    );
    const copy = copies.find(({ metadata }) => metadata.name === `${DRILL}${name}`);
    if (drill === undefined || copy === undefined) {
      say(title, 'has a backup that nothing tries');
      continue;
    }
    if (archives.originOf(copy) !== archive) say(titleOf(copy), `is not restored from ${archive}`);
    findings.push(...parameterFindings(copy, cluster));
    const containers = containersOf(drill.pod);
    const begins = containers.find(
      ({ args }) => args?.slice(0, 2).join(' ') === 'restore-drill begin',
    );
    if (begins === undefined || !asks(begins, name)) {
      say(drill.title, `does not ask ${name} what was written last`);
    }
    const has = servicesOn(manifests, cluster);
    for (const command of VERIFICATIONS.drill.filter((one) => has.has(VERIFIES[one] ?? ''))) {
      if (!containers.some((one) => runs(one, command) && asks(one, copy.metadata.name))) {
        say(drill.title, `does not run ${command} on its copy`);
      }
    }
  }
  for (const cluster of [...clusters, ...copies]) {
    const origin = archives.originOf(cluster);
    if (origin?.startsWith('no ')) say(titleOf(cluster), `comes from what is not there, ${origin}`);
  }
  return findings;
}

/** The services whose data a server has, by the URLs that they are given; and {@link ANYBODY}. */
function servicesOn(manifests: readonly Manifest[], cluster: Manifest): Set<string> {
  const hosts = namesOf(manifests, [cluster]);
  const asking = workloadsOf(manifests).filter(
    ({ serves, pod }) =>
      serves &&
      pod.containers.some(({ env = [] }) =>
        env.some(
          ({ name, value }) =>
            name.startsWith('DATABASE_URL') && hosts.some((host) => value?.includes(`@${host}:`)),
        ),
      ),
  );
  return new Set([ANYBODY, ...asking.map(({ manifest }) => manifest.metadata.name)]);
}

/** The Services that lead to one of these servers. */
function namesOf(manifests: readonly Manifest[], clusters: readonly Manifest[]): string[] {
  return databaseServices(manifests)
    .filter(({ server }) => server !== undefined && clusters.includes(server))
    .map(({ name }) => name);
}

const runs = ({ args = [] }: Container, command: string) =>
  args.join(' ') === command || args.join(' ').startsWith(`${command} `);

/** Whether every database that a container is given is on this server. */
function asks({ env = [] }: Container, server: string): boolean {
  const urls = env.filter(({ name }) => name.startsWith('DATABASE_URL'));
  return urls.length > 0 && urls.every(({ value }) => value?.includes(`@${server}-rw:`));
}

function parameterFindings(copy: Manifest, original: Manifest): Finding[] {
  const has = specOf(copy).postgresql?.parameters ?? {};
  const wanted = specOf(original).postgresql?.parameters ?? {};
  return AT_LEAST.filter((name) => Number(has[name] ?? 0) < Number(wanted[name] ?? 0)).map(
    (name) => ({
      rule: 'restorable',
      title: titleOf(copy),
      message: `has a ${name} with which recovery does not begin`,
    }),
  );
}

/**
 * Traffic moves in one place, to a server that may take it: one that runs, whose certificate has the name by
 * which it is found, and, if it was restored, that was verified.
 */
export function leadable(manifests: readonly Manifest[]): Finding[] {
  const clusters = ofKind(manifests, 'Cluster');
  if (clusters.length === 0) return [];
  const findings: Finding[] = [];
  const say = (title: string, message: string) =>
    findings.push({ rule: 'leadable', title, message });
  const ways = databaseServices(manifests);
  const lost = ways.filter(({ server }) => server === undefined).map(({ name }) => name);
  if (ways.length === 0) lost.push('database');
  for (const name of lost) say(`Service ${name}`, 'leads to no server that is there');
  if (lost.length > 0) return findings;
  const serving = servingDatabases(manifests);
  for (const cluster of serving) {
    if (cluster.metadata.annotations?.[HIBERNATION] !== 'on') continue;
    say(titleOf(cluster), 'is where traffic goes, and has no pods');
  }
  const archives = new Archives(manifests);
  const isOf = (one: Manifest, other: Manifest) => archives.originOf(one) === archives.of(other);
  for (const cluster of clusters) {
    const title = titleOf(cluster);
    const { name, annotations } = cluster.metadata;
    const { certificates, bootstrap, replica } = specOf(cluster);
    const certificate = ofKind(manifests, 'Certificate').find(
      ({ spec }) => (spec as { secretName: string }).secretName === certificates?.serverTLSSecret,
    );
    const { dnsNames = [] } = (certificate?.spec ?? {}) as { dnsNames?: string[] };
    // Traffic goes to it, may come to it, or went to it and may come back.
    const family = clusters.filter(
      (other) => other === cluster || isOf(other, cluster) || isOf(cluster, other),
    );
    for (const found_by of namesOf(manifests, family)) {
      if (!dnsNames.includes(found_by)) say(title, `shows no certificate of the name ${found_by}`);
    }
    // Two that can be written to would come to differ: traffic left this one, or follows it.
    const restored = bootstrap?.recovery !== undefined && replica === undefined;
    if (!serving.includes(cluster) && !restored && annotations?.[HIBERNATION] !== 'on') {
      say(title, 'can be written to beside the one that traffic goes to');
    }
    if (!restored) continue;
    for (const command of VERIFICATIONS.copy) {
      const verified = workloadsOf(manifests).some(
        ({ manifest, pod }) =>
          manifest.metadata.labels?.['stage'] === 'verify' &&
          pod.containers.some((one) => runs(one, command) && asks(one, name)),
      );
      if (!verified) say(title, `is not verified by ${command}`);
    }
    const origin = clusters.find((other) => isOf(cluster, other));
    if (origin !== undefined) findings.push(...parameterFindings(cluster, origin));
  }
  return findings;
}
