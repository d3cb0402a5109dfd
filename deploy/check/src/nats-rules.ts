import { BUS_USERS, serverAuthorization } from '@credit/platform/bus';
import { type Finding, type Manifest, ofKind, titleOf, workloadsOf } from './manifest';

/** Where {@link serverAuthorization} stands, and the file that must take it in. */
const RIGHTS_FILE = 'authorization.conf';
const MAIN_FILE = 'nats.conf';

/** Each of these would let somebody in, or give rights, beside what that file says. */
const OTHER_WAYS_IN =
  /^\s*(accounts|authorization|gateway|leafnodes|mqtt|no_auth_user|operator|resolver|resolver_preload|system_account|trusted_keys|users|websocket)\b/m;

/** NATS knows each service by its certificate, and lets it do what it needs and nothing else. */
export function natsRights(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  for (const { manifest, pod, labels } of workloadsOf(manifests)) {
    if (labels['app.kubernetes.io/name'] !== 'nats') continue;
    const say = (message: string) =>
      findings.push({ rule: 'NATS rights', title: titleOf(manifest), message });
    const map = configurationOf(
      manifests,
      pod.volumes?.map(({ configMap }) => configMap?.name),
    );
    const main = uncommented(map?.[MAIN_FILE] ?? '');
    if (map?.[RIGHTS_FILE] !== serverAuthorization()) {
      say(`has other rights in ${RIGHTS_FILE} than services use`);
    }
    if (!main.split('\n').includes(`include "${RIGHTS_FILE}"`)) {
      say(`does not take ${RIGHTS_FILE} in`);
    }
    if (!/^\s*verify_and_map: true$/m.test(main)) {
      say('does not know its clients by their certificates');
    }
    for (const [file, text] of Object.entries(map ?? {})) {
      if (file === RIGHTS_FILE) continue;
      const way = OTHER_WAYS_IN.exec(uncommented(text))?.[1];
      if (way !== undefined) say(`has another way in: ${way} in ${file}`);
    }
    for (const user of BUS_USERS) {
      if (!hasCertificate(manifests, user))
        say(`knows ${user}, who has no certificate of that name`);
    }
  }
  return findings;
}

function configurationOf(
  manifests: readonly Manifest[],
  names: ReadonlyArray<string | undefined> = [],
): Record<string, string> | undefined {
  return ofKind(manifests, 'ConfigMap').find(
    ({ metadata, data }) => names.includes(metadata.name) && data?.[MAIN_FILE] !== undefined,
  )?.data;
}

function uncommented(text: string): string {
  return text.replace(/^\s*(#|\/\/).*$/gm, '');
}

/** One that names nobody else: a certificate of two names would be two users. */
function hasCertificate(manifests: readonly Manifest[], user: string): boolean {
  return ofKind(manifests, 'Certificate').some(({ spec }) => {
    const { commonName, dnsNames } = spec as { commonName?: string; dnsNames?: string[] };
    return commonName === user && dnsNames?.join() === user;
  });
}
