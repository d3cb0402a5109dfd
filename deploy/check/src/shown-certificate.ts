import path from 'node:path';
import { AUTHORITIES } from './configuration-rules';
import { type Container, type Manifest, ofKind, type PodSpec } from './manifest';

/** Names of the certificate in a file of a container, as whoever issues it is asked for them. */
export function namesShown(
  manifests: readonly Manifest[],
  pod: PodSpec,
  container: Container,
  file: string,
): readonly string[] {
  const secret = secretBehind(pod, container, file);
  const certificate = ofKind(manifests, 'Certificate').find(
    ({ spec }) => (spec as { secretName: string }).secretName === secret,
  );
  return (certificate?.spec as { dnsNames?: string[] } | undefined)?.dnsNames ?? [];
}

/** Whether a file of a container is the one of all that are believed. */
export function isAuthorities(pod: PodSpec, container: Container, file: string): boolean {
  return secretBehind(pod, container, file) === AUTHORITIES;
}

function secretBehind({ volumes = [] }: PodSpec, { volumeMounts = [] }: Container, file: string) {
  const mount = volumeMounts.find(({ mountPath }) => mountPath === path.posix.dirname(file));
  const volume = volumes.find(({ name }) => name === mount?.name);
  return volume?.projected?.sources.find(({ secret }) =>
    secret?.items?.some((item) => item.path === path.posix.basename(file)),
  )?.secret?.name;
}
