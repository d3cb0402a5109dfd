#!/usr/bin/env bash
# `deploy/release.sh REGISTRY VERSION`: builds the image of every service with a record of how it was made (SLSA
# provenance and a bill of materials, by BuildKit), refuses known holes, signs each by its digest together with
# its bill of materials, and writes VERSION@DIGEST into the overlays. Stops at the first failure; what was pushed
# by then has no signature, and no overlay names it. Needs docker with buildx, cosign and grype. Signs with
# COSIGN_KEY; without it by who runs it (keyless, as a build server does).
set -euo pipefail

registry=${1:?usage: deploy/release.sh REGISTRY VERSION}
version=${2:?usage: deploy/release.sh REGISTRY VERSION}
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ]; then
  echo 'What is not committed would be in the images and in no history: commit it first.' >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
key=()
if [ -n "${COSIGN_KEY:-}" ]; then key=(--key "$COSIGN_KEY"); fi
services=$(node -p "['gateway', ...require('./deploy/services.json').rpc.map(({ name }) => name)].join(' ')")

npm sbom --sbom-format=cyclonedx --omit=dev --package-lock-only >"$folder/sbom.json"
grype "sbom:$folder/sbom.json" --fail-on high

for service in $services; do
  docker buildx build --file deploy/Dockerfile --build-arg "SERVICE=$service" \
    --tag "$registry/$service:$version" --provenance=mode=max --sbom=true \
    --metadata-file "$folder/$service.json" --push .
done
for service in $services; do
  digest=$(node -p "require('$folder/$service.json')['containerimage.digest']")
  case $digest in sha256:*) ;; *) echo "$service has no digest." >&2; exit 1 ;; esac
  # Of the image as it lies there, its base included.
  grype "registry:$registry/$service@$digest" --fail-on critical
  cosign sign --yes "${key[@]}" "$registry/$service@$digest"
  cosign attest --yes "${key[@]}" --type cyclonedx --predicate "$folder/sbom.json" "$registry/$service@$digest"
  echo "$service $version@$digest" >>"$folder/digests"
done
node tools/name-images.mjs "$registry" "$folder/digests"
echo "Overlays name $version by its digests: commit them, then deploy/k8s/apply.sh."
