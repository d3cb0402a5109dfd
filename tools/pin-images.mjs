// `node tools/pin-images.mjs`: asks the registries which digest each foreign image's tag stands for
// now and writes it behind the tag, in the manifests, the Dockerfile and the compose file. On a
// machine that reaches the registries; it invents nothing, and changes nothing unless all answered.
// Run again, it moves the digests to what the tags stand for then. The network's own images are
// pinned by whoever builds them: kustomize edit set image.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fail, root } from './lib.mjs';

const TIMEOUT_MS = 20_000;
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');
const HOSTS = { 'docker.io': 'registry-1.docker.io' };
const IMAGE =
  /(?<=(?:image|imageName): |^ARG \w+_IMAGE=)((?:[a-z0-9-]+\.)+[a-z]+)\/([a-z0-9./_-]+):([\w.-]+)(@sha256:[0-9a-f]{64})?/gm;

const files = [
  'deploy/Dockerfile',
  'deploy/compose.yaml',
  ...readdirSync(path.join(root, 'deploy/k8s'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `deploy/k8s/${name}`),
].map((name) => ({
  file: path.join(root, name),
  text: readFileSync(path.join(root, name), 'utf8'),
}));

const wanted = new Map();
for (const { text } of files) {
  for (const [, registry, repository, tag] of text.matchAll(IMAGE)) {
    wanted.set(`${registry}/${repository}:${tag}`, { registry, repository, tag });
  }
}

/** The digest of a tag's index, as the registry itself names it. */
async function digestOf({ registry, repository, tag }) {
  const url = `https://${HOSTS[registry] ?? registry}/v2/${repository}/manifests/${tag}`;
  const ask = (headers) =>
    fetch(url, {
      method: 'HEAD',
      headers: { accept: ACCEPT, ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  let answer = await ask({});
  if (answer.status === 401) {
    answer = await ask({ authorization: `Bearer ${await tokenFor(answer, repository)}` });
  }
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw new Error(`${registry} answered ${answer.status} and no digest`);
  }
  return digest;
}

/** An anonymous token, from where the registry says one is to be had. */
async function tokenFor(answer, repository) {
  const challenge = answer.headers.get('www-authenticate') ?? '';
  const part = (name) => new RegExp(`${name}="([^"]+)"`).exec(challenge)?.[1];
  const realm = new URL(part('realm') ?? '');
  if (part('service')) realm.searchParams.set('service', part('service'));
  realm.searchParams.set('scope', part('scope') ?? `repository:${repository}:pull`);
  const given = await fetch(realm, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { token, access_token } = await given.json();
  return token ?? access_token;
}

const digests = new Map();
const faults = [];
for (const [name, image] of wanted) {
  try {
    digests.set(name, await digestOf(image));
  } catch (error) {
    faults.push(`${name}: ${error.cause?.message ?? error.message}`);
  }
}
if (faults.length > 0) fail(`Nothing was pinned:\n${faults.join('\n')}`);
for (const { file, text } of files) {
  const pinned = text.replace(IMAGE, (_whole, registry, repository, tag) => {
    const name = `${registry}/${repository}:${tag}`;
    return `${name}@${digests.get(name)}`;
  });
  if (pinned !== text) writeFileSync(file, pinned);
}
for (const [name, digest] of digests) console.log(`${name} ${digest}`);
