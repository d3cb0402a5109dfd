#!/usr/bin/env bash
# `deploy/k8s/authorities.sh NAMESPACE`: has everything in the namespace believe the authorities whose
# Secrets have the label credit-network/authority, and no other. apply.sh runs it; an authority that
# follows another one is believed beside it first (docs/SECRETS.md). KUBECTL names another kubectl or
# adds options.
set -euo pipefail

namespace=${1:?usage: deploy/k8s/authorities.sh NAMESPACE}
read -r -a kubectl <<<"${KUBECTL:-kubectl}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"${kubectl[@]}" get secret --namespace="$namespace" --selector=credit-network/authority \
  --output=go-template='{{range .items}}{{index .data "tls.crt" | base64decode}}{{end}}' >"$folder/ca.crt"
count=$(grep -c 'BEGIN CERTIFICATE' "$folder/ca.crt" || true)
[ "$count" -gt 0 ] || { echo "There is no authority in $namespace: nobody would believe anybody." >&2; exit 1; }

# What reads certificates from Secrets and what from ConfigMaps (Gateway API): nothing of it is secret.
for kind in 'secret generic' configmap; do
  read -r -a words <<<"$kind"
  "${kubectl[@]}" create "${words[@]}" credit-authorities --namespace="$namespace" \
    --from-file=ca.crt="$folder/ca.crt" --dry-run=client --output=yaml >"$folder/object.yaml"
  # Instances of PostgreSQL take a change up by this label; pods read their files again.
  "${kubectl[@]}" label --local --filename="$folder/object.yaml" cnpg.io/reload= \
    app.kubernetes.io/part-of=credit-network --output=yaml >"$folder/labelled.yaml"
  "${kubectl[@]}" apply --server-side --field-manager=credit-network --filename="$folder/labelled.yaml"
done
echo "$count authorities are believed in $namespace"
