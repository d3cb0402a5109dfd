#!/usr/bin/env bash
# `deploy/k8s/apply.sh OVERLAY`: installs or upgrades, in the order that makes a release safe: what
# everything stands on, then roles, then migrations, then services. Stops at the first failure, with
# the release before still running. With `provision` behind the overlay, roles and passwords alone.
# KUBECTL names another kubectl or adds options.
set -euo pipefail

overlay=${1:?usage: deploy/k8s/apply.sh dev|prod [provision]}
folder="$(cd "$(dirname "$0")" && pwd)/overlays/$overlay"
[ -d "$folder" ] || { echo "There is no overlay $overlay." >&2; exit 1; }
read -r -a kubectl <<<"${KUBECTL:-kubectl}"

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
"${kubectl[@]}" kustomize "$folder" >"$manifests"
namespace=$(sed -n 's/^  namespace: //p' "$manifests" | sort -u)

say() { printf '\n== %s\n' "$1"; }
apply() { "${kubectl[@]}" apply --server-side --filename="$manifests" --selector="$1"; }
# A Job cannot be changed: what is left of the last release makes room.
job() {
  "${kubectl[@]}" delete job --namespace="$namespace" --selector="stage=$1" --ignore-not-found
  apply "stage=$1"
  "${kubectl[@]}" wait job --namespace="$namespace" --selector="stage=$1" --for=condition=Complete \
    --timeout=30m
}

if [ "${2:-}" = provision ]; then
  say 'database roles'
  job provision
  exit
fi

say 'namespace, policies, certificates, secrets, database, NATS'
apply 'stage notin (provision,migrate,serve)'
"${kubectl[@]}" wait certificate --all --namespace="$namespace" --for=condition=Ready --timeout=5m
"$(dirname "$0")/authorities.sh" "$namespace"
"${kubectl[@]}" wait externalsecret --all --namespace="$namespace" --for=condition=Ready --timeout=5m
"${kubectl[@]}" wait cluster.postgresql.cnpg.io/credit-db --namespace="$namespace" \
  --for=condition=Ready --timeout=20m
"${kubectl[@]}" rollout status statefulset/nats --namespace="$namespace" --timeout=10m

say 'database roles, the stream of events'
job provision
say 'migrations'
job migrate
say 'services'
apply 'stage=serve'
for service in identity reporting scoring disputes webhooks gateway; do
  "${kubectl[@]}" rollout status "deployment/$service" --namespace="$namespace" --timeout=15m
done
say "$overlay is up to date"
