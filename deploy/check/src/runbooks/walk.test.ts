import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildOverlay, everyDayAndTheWorst, ROOT, requireKubectl } from '../kustomize';
import type { Container, Manifest } from '../manifest';
import { workloadsOf } from '../manifest';
import { type Known, readKnown } from './known';
import { snippetsOf } from './markdown';
import { commandsOf } from './shell';
import { checkRunbooks, walk } from './walk';

let production: Manifest[];
let known: Known;

beforeAll(() => {
  requireKubectl();
  production = buildOverlay('prod');
  known = readKnown(production);
});

const said = (markdown: string, of = known) =>
  walk('a runbook', markdown, of).map(({ rule, message }) => `${rule}: ${message}`);

describe('the documents that operators follow', () => {
  it('have nothing in them that does not exist, or that what is deployed keeps from working', () => {
    expect(checkRunbooks(everyDayAndTheWorst())).toEqual([]);
  });
});

describe('code in documents', () => {
  it('is in fences, or in sentences, over two lines too', () => {
    const markdown =
      'Ask `kubectl get\n  pods`.\n\n```sh\na\nb\n```\n\n   ```\n   up == 1\n   ```\n';
    expect(snippetsOf(markdown)).toEqual([
      { language: 'inline', text: 'kubectl get pods' },
      { language: 'sh', text: 'a\nb' },
      { language: '', text: '   up == 1' },
    ]);
  });

  it('is read as a shell reads it', () => {
    const script = `f() { kubectl -n credit get "pods" -o 'a b' | while read -r p; do
      echo "$p" >file 2>&1 </dev/null; done; }
    case $1 in a|b) X=1 grep c;; *) tail -n $((1 + 2)) "$(cat d)";; esac # not this`;
    expect(commandsOf(script)).toEqual([
      ['kubectl', '-n', 'credit', 'get', 'pods', '-o', 'a b'],
      ['read', '-r', 'p'],
      ['echo', '$p'],
      ['grep', 'c'],
      ['cat', 'd'],
      ['tail', '-n', '$((1 + 2))', '$(cat d)'],
    ]);
  });
});

describe('a walk', () => {
  // By rule: what must be found, and what of the same kind is right.
  const cases: Array<[rule: string, wrong: string, message: string, right: string]> = [
    [
      'commands',
      '`kubectl run curl`',
      'kubectl run is not in the table of what we use',
      '`kubectl -n credit get pods`',
    ],
    [
      'commands',
      '```sh\nsystemctl restart gateway\n```',
      'systemctl is nothing that we name a version of',
      '```sh\nopenssl rand -base64 32\n```',
    ],
    [
      'commands',
      '`npm run reconcil`',
      'there is no npm run reconcil',
      '`npm run service -- identity verify-audit`',
    ],
    [
      'commands',
      '`credit reporting verify-audit`',
      'reporting has no command verify-audit',
      '`credit reporting verify-record`',
    ],
    [
      'commands',
      '`credit gateway dead-letters`',
      'gateway has no command dead-letters',
      '`credit webhooks dead-letters`',
    ],
    [
      'commands',
      '`deploy/k8s/apply.sh staging`',
      'there is no overlay staging',
      '`deploy/k8s/apply.sh prod`',
    ],
    [
      'commands',
      '`kubectl -n credit exec deploy/gateway -- sh -c env`',
      'sh is in no image of a service',
      '`kubectl -n credit exec nats-0 -- du -sh /data`',
    ],
    [
      'flags',
      '`kubectl -n credit logs deploy/gateway --lines=5`',
      'kubectl logs knows no --lines that we have looked up',
      '`kubectl -n credit logs deploy/gateway --tail=5`',
    ],
    [
      'flags',
      '`credit scoring dead-letters --force`',
      'scoring dead-letters knows no --force',
      '`credit scoring dead-letters --retry`',
    ],
    [
      'flags',
      '`kubectl -n credit cnpg status credit-db`',
      'nothing may stand before the plugin: kubectl -n credit cnpg status credit-db',
      '`kubectl cnpg status credit-db -n credit`',
    ],
    [
      'backups',
      '`kubectl cnpg backup credit-db -n credit`',
      'credit-db is backed up by --method=plugin --plugin-name=barman-cloud.cloudnative-pg.io',
      '`kubectl cnpg backup credit-db -n credit -m plugin --plugin-name=barman-cloud.cloudnative-pg.io`',
    ],
    [
      'objects',
      '`kubectl -n credit rollout restart deploy/ledger`',
      'there is no Deployment ledger',
      '`kubectl -n credit rollout restart statefulset/nats`',
    ],
    [
      'objects',
      '`kubectl -n prod get pods`',
      'there is no namespace prod',
      '`kubectl -n cert-manager logs deploy/cert-manager`',
    ],
    [
      'objects',
      '`kubectl -n credit get pods -l app.kubernetes.io/name=ledger`',
      'no Pod has the labels app.kubernetes.io/name=ledger',
      '`kubectl -n credit get pods -l app.kubernetes.io/name=nats`',
    ],
    [
      'objects',
      '`kubectl -n credit get probe,pods -l app.kubernetes.io/name=public-probe`',
      'no Probe has the labels app.kubernetes.io/name=public-probe',
      '`kubectl -n credit get deployment,pods -l app.kubernetes.io/name=public-probe`',
    ],
    [
      'objects',
      '`kubectl -n credit logs -l cnpg.io/cluster=credit-db,cnpg.io/instanceRole=standby`',
      'no Pod has the labels cnpg.io/cluster=credit-db,cnpg.io/instanceRole=standby',
      '`kubectl -n credit top pod -l cnpg.io/cluster=credit-db,cnpg.io/instanceRole=primary`',
    ],
    [
      'objects',
      '`kubectl -n credit get endpointslices -l kubernetes.io/service-name=ledger`',
      'no EndpointSlice has the labels kubernetes.io/service-name=ledger',
      '`kubectl -n credit get endpointslices -l kubernetes.io/service-name=gateway`',
    ],
    [
      'objects',
      '`kubectl -n credit delete pod nats-3`',
      'there is no Pod nats-3',
      '`kubectl -n credit delete pod nats-N`',
    ],
    [
      'objects',
      '`kubectl -n credit edit pvc data-nats-3`',
      'there is no PersistentVolumeClaim data-nats-3',
      '`kubectl -n credit edit pvc data-nats-2`',
    ],
    [
      'objects',
      '`kubectl -n credit delete pvc credit-db-N-log`',
      'there is no PersistentVolumeClaim credit-db-N-log',
      '`kubectl -n credit delete pvc credit-db-4-wal credit-db-N --wait=false`',
    ],
    [
      'objects',
      '`kubectl -n credit get secret gateway-public-tls`',
      'there is no Secret gateway-public-tls',
      '`kubectl -n credit get secret credit-public-tls`',
    ],
    [
      'objects',
      '`kubectl cnpg reload credit -n credit`',
      'there is no Cluster credit',
      '`kubectl cnpg reload credit-db -n credit`',
    ],
    [
      'commands',
      '`kubectl cert-manager renew gateway -n credit`',
      'kubectl cert-manager is not in the table of what we use',
      '`cmctl renew gateway -n credit`',
    ],
    [
      'commands',
      '`kubectl -n credit exec deploy/public-probe -- curl http://127.0.0.1:9115/`',
      'curl is in no image of a probe',
      '`kubectl -n credit exec deploy/public-probe -- wget -qO- http://127.0.0.1:9115/`',
    ],
    [
      'policies',
      '`kubectl get --raw /api/v1/namespaces/credit/services/public-probe:9115/proxy/probe`',
      'no policy lets the Kubernetes API reach a pod: /api/v1/namespaces/credit/services/public-probe:9115/proxy/probe',
      '`kubectl get --raw /api/v1/nodes/NODE/proxy/metrics`',
    ],
    [
      'policies',
      '`kubectl -n credit exec deploy/public-probe -- wget -qO- http://127.0.0.1:7777/metrics`',
      'no probe listens on 7777',
      '`kubectl -n credit exec nats-0 -- wget -qO- http://127.0.0.1:7777/metrics`',
    ],
    [
      'metrics',
      '`count(ALERTS{alertname="Watchdogs"})`',
      'no alert is called Watchdogs',
      '`count(ALERTS{alertname="Watchdog"})`',
    ],
    ['metrics', '`count(ALARMS{alertname="Watchdog"})`', 'nothing shows ALARMS', '`count(ALERTS)`'],
    [
      'autoscalers',
      '`kubectl -n credit scale deploy/webhooks --replicas=5`',
      'webhooks has an autoscaler that undoes this',
      '`kubectl -n credit scale deploy/webhooks --replicas=0`',
    ],
    [
      'patches',
      '`kubectl -n credit patch scaledobject gateway -p \'{"spec":{"minReplicas":5}}\'`',
      'scaledobject gateway has no spec.minReplicas',
      '`kubectl -n credit patch scaledobject gateway -p \'{"spec":{"minReplicaCount":5}}\'`',
    ],
    [
      'policies',
      '`kubectl get --raw /api/v1/namespaces/credit/pods/POD:9464/proxy/metrics`',
      'no policy lets the Kubernetes API reach a pod: /api/v1/namespaces/credit/pods/POD:9464/proxy/metrics',
      '`kubectl get --raw /healthz`',
    ],
    [
      'policies',
      '`kubectl -n credit exec nats-0 -- wget -qO- http://127.0.0.1:8223/healthz`',
      'no nats listens on 8223',
      '`kubectl -n credit exec nats-0 -- wget -qO- http://127.0.0.1:8222/healthz`',
    ],
    [
      'stream',
      '`kubectl -n credit exec nats-0 -- nats stream edit EVENTS`',
      'the Job "stream" sets back at every release what is changed by hand',
      '`kubectl -n credit exec nats-0 -- df -h /data`',
    ],
    [
      'field manager',
      '`kubectl apply -k deploy/k8s/overlays/prod --server-side`',
      'what apply.sh applies has one: --server-side --field-manager=credit-network',
      '`kubectl apply -k deploy/k8s/overlays/prod --server-side --field-manager=credit-network`',
    ],
    [
      'metrics',
      '```\nmax(outbox_oldest_age_minutes) < 5\n```',
      'nothing shows outbox_oldest_age_minutes',
      '```\nmax(outbox_oldest_age_seconds) < 5\n```',
    ],
    [
      'metrics',
      '`metrics webhooks | grep webhooks_queueing`',
      'nothing shows webhooks_queueing',
      '`metrics webhooks | grep webhooks_queue`',
    ],
    [
      'logs',
      "`logs scoring | grep 'claiming deliveries failed'`",
      'nothing says "claiming deliveries failed"',
      "`logs scoring | grep 'gave an event up'`",
    ],
    [
      'operations',
      '`GET /disputes/overdue/now`',
      'the API has no GET /disputes/overdue/now',
      '`GET /api/v1/disputes?overdue=true`',
    ],
  ];

  it.each(cases)('finds by the rule "%s" what is wrong with %s', (rule, wrong, message, right) => {
    expect(said(wrong)).toContain(`${rule}: ${message}`);
    expect(said(right)).toEqual([]);
  });

  it('finds what writes where nothing can be written', () => {
    const profile = '`NODE_OPTIONS=--cpu-prof --cpu-prof-dir=/tmp/profiles`';
    expect(said(profile)).toContainEqual(
      expect.stringMatching(/^writes: nothing can be written in Deployment gateway/),
    );
    const writable = structuredClone(production);
    for (const { pod } of workloadsOf(writable)) {
      (pod.containers[0] as Container).volumeMounts = [{ name: 'scratch', mountPath: '/tmp' }];
      pod.volumes = [Object.assign({ name: 'scratch' }, { emptyDir: {} })];
    }
    expect(said(profile, readKnown(writable))).toEqual([]);
  });

  it('lets a deployment be woken that the document has put to sleep', () => {
    const wake = '`kubectl -n credit scale deployment identity --replicas=3`';
    const sleep = '`kubectl -n credit scale deployment identity --replicas=0`';
    expect(said(`${sleep}\n\n${wake}`)).toEqual([]);
    expect(said(wake)).toHaveLength(1);
  });

  it('knows the commands that the runbooks have one paste into the shell', () => {
    const readme = readFileSync(path.join(ROOT, 'docs/runbooks/README.md'), 'utf8');
    const [cluster = ''] = snippetsOf(readme).flatMap(({ language, text }) =>
      language === 'sh' ? [text] : [],
    );
    const kubectl = commandsOf(cluster).filter(([program]) => program === 'kubectl');
    expect(kubectl.map((words) => words[3])).toEqual([
      'get',
      'exec',
      'logs',
      'exec',
      'patch',
      'patch',
    ]);
    expect(said(readme.replaceAll('patch scaledobject', 'patch hpa'))).toContainEqual(
      expect.stringMatching(/^patches: /),
    );
  });
});
