import { clusterWide, embeddedManifests } from './kustomize';
import {
  containersOf,
  DRILL,
  type Finding,
  type Manifest,
  ofKind,
  titleOf,
  type Workload,
  workloadsOf,
} from './manifest';

interface RoleRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

/** Of each command of kubectl that a drill runs: what it asks the Kubernetes API for. */
const ASKS: Readonly<Record<string, readonly string[]>> = {
  create: ['create'],
  // It waits until the object is gone.
  delete: ['delete', 'get', 'list', 'watch'],
  wait: ['get', 'list', 'watch'],
};

/** What nothing has a name for yet, so that no Role can bound it by name. */
const UNNAMED = 'create';

interface Role {
  readonly metadata: Manifest['metadata'];
  readonly rules: readonly RoleRule[];
}

/**
 * Rights in the Kubernetes API are those that are used, about objects of one's own name; what may be made is
 * bounded where a Role cannot bound it.
 */
export function rights(
  manifests: readonly Manifest[],
  cluster_wide: readonly Manifest[] = clusterWide(),
): Finding[] {
  const findings: Finding[] = [];
  const say = (title: string, message: string) => findings.push({ rule: 'rights', title, message });
  for (const role of ofKind(manifests, 'ClusterRole')) say(titleOf(role), 'is for all namespaces');
  for (const manifest of ofKind(manifests, 'Role')) {
    const title = titleOf(manifest);
    const { metadata, rules } = manifest as unknown as Role;
    const user = workloadsOf(manifests).find(
      ({ manifest: one }) => one.metadata.name === metadata.name,
    );
    const used = new Set(user === undefined ? [] : verbsUsed(user));
    const granted = new Set<string>();
    for (const { verbs, resources, resourceNames = [] } of rules) {
      for (const verb of verbs) {
        granted.add(verb);
        if (!used.has(verb)) say(title, `may ${verb} ${resources.join()}, which nothing uses`);
        if (verb !== UNNAMED && resourceNames.join() !== metadata.name) {
          say(title, `may ${verb} ${resources.join()} of other names than its own`);
        }
      }
    }
    for (const verb of used) if (!granted.has(verb)) say(title, `may not ${verb}, which it does`);
    if (!granted.has(UNNAMED)) continue;
    const copy = ofKind(embeddedManifests(manifests), 'Cluster').find(
      (one) => one.metadata.name === metadata.name,
    );
    for (const message of admissionFindings(cluster_wide, copy)) say(title, message);
  }
  return findings;
}

function verbsUsed({ pod }: Workload): readonly string[] {
  return containersOf(pod)
    .filter(({ image }) => image?.includes('/kubectl:'))
    .flatMap(({ args = [] }) => ASKS[args[0] ?? ''] ?? [`run ${args[0]}`]);
}

interface AdmissionSpec {
  matchConditions?: Array<{ expression: string }>;
  validations?: Array<{ expression: string }>;
}

/** Each bound, as its expression has it. */
const BOUNDS: ReadonlyArray<readonly [expression: RegExp, message: string]> = [
  [
    /^request\.userInfo\.username\.endsWith\(':' \+ object\.metadata\.name\)$/,
    'make what has another name than its own',
  ],
  [/^has\(object\.spec\.bootstrap\.recovery\)/, 'make what comes from no backup'],
  [/^object\.spec\.imageName\.startsWith\('.+\/'?/, 'make what runs any program'],
  [/^!has\(object\.spec\.env\) && !has\(object\.spec\.envFrom\)/, 'make what is given any Secret'],
];

function admissionFindings(
  cluster_wide: readonly Manifest[],
  copy: Manifest | undefined,
): readonly string[] {
  const bound = new Set(
    ofKind(cluster_wide, 'ValidatingAdmissionPolicyBinding')
      .map(
        ({ spec }) =>
          spec as { policyName: string; validationActions: string[]; matchResources?: unknown },
      )
      .filter(
        ({ validationActions, matchResources }) =>
          validationActions.includes('Deny') && matchResources === undefined,
      )
      .map(({ policyName }) => policyName),
  );
  const expressions = ofKind(cluster_wide, 'ValidatingAdmissionPolicy')
    .filter(({ metadata }) => bound.has(metadata.name))
    .map(({ spec }) => spec as AdmissionSpec)
    .filter(({ matchConditions = [] }) =>
      matchConditions.some(({ expression }) => expression.includes(`:${DRILL}'`)),
    )
    .flatMap(({ validations = [] }) => validations.map(({ expression }) => expression));
  const missing = BOUNDS.filter(
    ([wanted]) => !expressions.some((expression) => wanted.test(expression)),
  ).map(([, message]) => `may ${message}`);
  // The copy itself is let through.
  const { imageName = '' } = (copy?.spec ?? {}) as { imageName?: string };
  const refused = expressions
    .flatMap((one) => /imageName\.startsWith\('(.+)'\)/.exec(one)?.[1] ?? [])
    .filter((prefix) => !imageName.startsWith(prefix))
    .map(() => `may not make its copy, which runs ${imageName}`);
  return [...missing, ...refused];
}
