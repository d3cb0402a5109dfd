import { type Finding, type Manifest, ofKind, type Workload, workloadsOf } from './manifest';

const COMMAND = 'audit-export';

/**
 * Months of the audit log are exported by a job, into a volume that outlives it: what is deleted from the database
 * is nowhere else.
 */
export function auditFiles(manifests: readonly Manifest[]): Finding[] {
  const workloads = workloadsOf(manifests);
  const identity = workloads.find(({ title }) => title === 'Deployment identity');
  if (identity === undefined) return [];
  const found = (title: string, message: string) => [{ rule: 'audit files', title, message }];
  const exporter = workloads.find(
    ({ manifest, pod }) => manifest.kind === 'CronJob' && pod.containers[0]?.args?.[0] === COMMAND,
  );
  if (exporter === undefined) return found(identity.title, 'has an audit log that no job exports');
  const claim = claimOf(exporter);
  if (claim === undefined) return found(exporter.title, 'writes files that no volume keeps');
  const claims = ofKind(manifests, 'PersistentVolumeClaim').map(({ metadata }) => metadata.name);
  if (!claims.includes(claim)) return found(exporter.title, `claims ${claim}, which nothing makes`);
  return [];
}

/** Of the volume that holds the folder it writes to. */
function claimOf({ pod }: Workload): string | undefined {
  const [container] = pod.containers;
  const { args = [], volumeMounts = [] } = container ?? {};
  const folder = args[args.indexOf('--directory') + 1] ?? '';
  const mount = volumeMounts.find(
    ({ mountPath }) => folder === mountPath || folder.startsWith(`${mountPath}/`),
  );
  const volume = pod.volumes?.find(({ name }) => name === mount?.name);
  return volume?.persistentVolumeClaim?.claimName;
}
