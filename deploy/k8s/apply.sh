#!/usr/bin/env bash
# `deploy/k8s/apply.sh OVERLAY [STEP] [--yes] [--take-over]`: installs or upgrades, in the order that makes
# a release safe: what everything stands on, then roles, then migrations, then services. It works on the
# cluster that the overlay's file `context` names and on no other, shows first what it would change, and
# asks. Stops at the first failure, with the release before still running.
# A STEP does less: `diff` shows and changes nothing; `provision` makes roles and passwords; `migrate` goes
# on from the migrations; `services` from the services, which is the way back to an older release. `ground`
# ends once all that services stand on is there, and `verify` once a restored server beside it was verified
# (docs/runbooks/worst-day.md): neither touches a service.
# --yes does not ask. --take-over takes back what somebody has changed by hand since.
# KUBECTL names another kubectl or adds options.
set -euo pipefail

usage='usage: deploy/k8s/apply.sh OVERLAY [diff|provision|migrate|services|ground|verify] [--yes] [--take-over]'
ask=yes
# Everything that is applied has one field manager; a field that another one has set since is a conflict.
as=(--server-side --field-manager=credit-network)
words=()
for word in "$@"; do
  case "$word" in
    --yes) ask=no ;;
    --take-over) as+=(--force-conflicts) ;;
    -*) echo "$usage" >&2; exit 1 ;;
    *) words+=("$word") ;;
  esac
done
overlay=${words[0]:?$usage}
step=${words[1]:-all}
case "$step" in all | diff | provision | migrate | services | ground | verify) ;; *) echo "$usage" >&2; exit 1 ;; esac
folder="$(cd "$(dirname "$0")" && pwd)/overlays/$overlay"
[ -d "$folder" ] || { echo "There is no overlay $overlay." >&2; exit 1; }
read -r -a kubectl <<<"${KUBECTL:-kubectl}"

# Another cluster may have a namespace of the same name.
wanted=$(cat "$folder/context")
current=$("${kubectl[@]}" config current-context || true)
for word in "${kubectl[@]}"; do
  case "$word" in
    --context=*) current=${word#--context=} ;;
    --context | --cluster* | --server* | -s*) current="that of ${kubectl[*]}" ;;
  esac
done
if [ "$current" != "$wanted" ]; then
  echo "$overlay belongs on the context $wanted (overlays/$overlay/context), and the current one is ${current:-none}." >&2
  exit 1
fi

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
"${kubectl[@]}" kustomize "$folder" >"$manifests"
namespace=$(sed -n 's/^  namespace: //p' "$manifests" | sort -u)
files=(--filename="$manifests")
# For the whole cluster, so in no overlay: what a drill may make.
if grep -q '^  name: restore-drill-' "$manifests"; then
  files+=(--filename="$(dirname "$0")/drill-admission.yaml")
fi

say() { printf '\n== %s\n' "$1"; }
apply() { "${kubectl[@]}" apply "${as[@]}" "${files[@]}" --selector="$1"; }
settled() { "${kubectl[@]}" wait "$1" --namespace="$namespace" "${@:2}"; }

# Asks the cluster, which also says what it would refuse: nothing has been changed by then. Jobs are
# left out, which cannot be changed and are made anew.
compare() {
  if [ -z "$("${kubectl[@]}" get namespace "$namespace" --ignore-not-found --output=name)" ]; then
    say "$namespace is not there yet: all of it is new"
    return
  fi
  say "what changes on $current"
  local code=0
  "${kubectl[@]}" diff "${as[@]}" "${files[@]}" --selector='stage notin (provision,migrate,verify)' || code=$?
  case $code in
    0) echo 'Nothing but what Jobs do.' ;;
    1) ;;
    *)
      echo 'Nothing was changed. Of a conflict: somebody has changed that field by hand. Write the same into the' >&2
      echo 'manifests to keep it, or give --take-over to undo it.' >&2
      exit 1
      ;;
  esac
}

agree() {
  [ "$ask" = yes ] || return 0
  local answer=
  [ -t 0 ] || { echo 'Nobody can be asked here: give --yes.' >&2; exit 1; }
  read -r -p "Apply this to $current? Write its name: " answer || true
  [ "$answer" = "$current" ] || { echo 'Nothing was changed.' >&2; exit 1; }
}

# A Job cannot be changed: what is left of the last try makes room, its pods too, so that the next try
# begins at once and alone. One that has failed is not waited for.
job() {
  "${kubectl[@]}" delete job --namespace="$namespace" --selector="stage=$1" --cascade=foreground --ignore-not-found
  apply "stage=$1"
  local states failed deadline=$((SECONDS + ${2:-1800}))
  while [ "$SECONDS" -lt "$deadline" ]; do
    states=$("${kubectl[@]}" get job --namespace="$namespace" --selector="stage=$1" \
      --output=jsonpath='{range .items[*]}{.metadata.name}={.status.conditions[?(@.status=="True")].type}{"\n"}{end}')
    failed=$(sed -n 's/=.*Fail.*//p' <<<"$states")
    if [ -n "$failed" ]; then
      for name in $failed; do
        "${kubectl[@]}" logs "job/$name" --namespace="$namespace" --tail=20 >&2 || true
      done
      echo "Failed: ${failed//$'\n'/, }. What served before still serves. Once it is mended, this goes on from there:" >&2
      case $1 in migrate | verify) echo "deploy/k8s/apply.sh $overlay $1" >&2 ;; *) echo "deploy/k8s/apply.sh $overlay" >&2 ;; esac
      exit 1
    fi
    if [ -n "$states" ] && ! grep -qv '=.*Complete' <<<"$states"; then return; fi
    sleep 3
  done
  echo "The Jobs of $1 have not ended within ${2:-1800} s." >&2
  exit 1
}

if [ "$step" = provision ]; then
  say 'database roles'
  job provision
  exit
fi

# Two servers that are written to at once would both be right: whoever moves traffic stops the writers first.
refuse_two_writers() {
  local leads wanted moved writers
  leads=$("${kubectl[@]}" get service --namespace="$namespace" --selector="$leading" --output="jsonpath={range .items[*]}$led_to{end}")
  wanted=$("${kubectl[@]}" create --dry-run=client --filename="$manifests" --selector="$leading" --output="jsonpath=$led_to")
  # Of the Services that are there, those that lead elsewhere now.
  moved=$(grep -vxF -f <(echo "$wanted") <<<"$leads" | sed '/^$/d' || true)
  [ -n "$moved" ] || return 0
  writers=$("${kubectl[@]}" get pods --namespace="$namespace" --output=name \
    --selector='app.kubernetes.io/component=server,app.kubernetes.io/name notin (gateway,nats,public-probe,otel-collector)')
  [ -z "$writers" ] && return 0
  echo "This moves traffic from ${moved//$'\n'/, } while services run. Stop them first (docs/runbooks/worst-day.md):" >&2
  echo "$writers" >&2
  exit 1
}
leading=credit-network/leads-to=database
led_to='{.metadata.name}={.spec.selector.cnpg\.io/cluster}{"\n"}'

# The servers that traffic goes to; of `verify` those beside them that were not put to sleep.
servers_to_await() {
  local leads servers
  leads=$("${kubectl[@]}" get service --namespace="$namespace" --selector="$leading" \
    --output="jsonpath={range .items[*]}$led_to{end}" | sed 's/.*=//')
  [ "$step" = verify ] || { echo "$leads"; return; }
  servers=$("${kubectl[@]}" get cluster.postgresql.cnpg.io --namespace="$namespace" \
    --output=jsonpath='{range .items[*]}{.metadata.name}={.metadata.annotations.cnpg\.io/hibernation}{"\n"}{end}')
  sed -n -e '/^restore-drill-/d' -e 's/=\(off\)\{0,1\}$//p' <<<"$servers" | grep -vxF -f <(echo "$leads") || true
}

compare
[ "$step" != diff ] || exit 0
refuse_two_writers
agree

say 'namespace, policies, certificates, secrets, database, NATS'
apply 'stage notin (provision,migrate,verify,serve)'
if [ "$step" != migrate ] && [ "$step" != services ]; then
  settled certificate --all --for=condition=Ready --timeout=5m
  "$(dirname "$0")/authorities.sh" "$namespace"
  settled externalsecret --all --for=condition=Ready --timeout=5m
  for server in $(servers_to_await); do
    settled "cluster.postgresql.cnpg.io/$server" --for=condition=Ready --timeout=12h
  done
  "${kubectl[@]}" rollout status statefulset/nats --namespace="$namespace" --timeout=10m
fi
if [ "$step" = verify ]; then
  say 'what was restored, event by event'
  job verify 43200
fi
case "$step" in ground | verify) say 'No service was touched'; exit ;; esac
if [ "$step" = all ]; then
  say 'database roles, the stream of events'
  job provision
fi
if [ "$step" != services ]; then
  say 'migrations'
  job migrate
fi
say 'services'
apply 'stage=serve'
for service in identity reporting scoring disputes webhooks gateway; do
  "${kubectl[@]}" rollout status "deployment/$service" --namespace="$namespace" --timeout=15m
done
say "$overlay is up to date"
