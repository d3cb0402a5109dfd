// `node tools/name-images.mjs REGISTRY FILE`: writes into the overlays which images of the services are deployed.
// FILE has a line for each: `gateway 0.2.0@sha256:…`. deploy/release.sh runs it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root =
  process.env.OVERLAYS_ROOT ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const overlays = path.join(root, 'deploy/k8s/overlays');
const [registry, file] = process.argv.slice(2);
const named = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

for (const overlay of readdirSync(overlays)) {
  const place = path.join(overlays, overlay, 'kustomization.yaml');
  const before = readFileSync(place, 'utf8');
  // Those that build on another overlay name no images.
  if (!before.includes('\nimages:\n')) continue;
  const after = named.reduce((text, [service, version]) => {
    const entry = /name: credit-network\/([a-z]+),\s+newName: [^,]+,\s+newTag: [^,\s]+,/g;
    return text.replace(entry, (found, name) =>
      name === service
        ? found
            .replace(/newName: [^,]+/, () => `newName: ${registry}/${service}`)
            .replace(/newTag: [^,\s]+/, () => `newTag: ${version}`)
        : found,
    );
  }, before);
  if (after !== before) writeFileSync(place, after);
}
