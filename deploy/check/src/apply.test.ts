import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { load, loadAll } from 'js-yaml';
import { buildOverlay, overlayNames, ROOT } from './kustomize';
import type { Manifest } from './manifest';

const SCRIPT = path.join(ROOT, 'deploy/k8s/apply.sh');
const STAGES = ['provision', 'migrate', 'verify', 'serve'];

/** Stands in for kubectl: notes what it is told, and fails where it is told to. */
const FAKE = `#!/usr/bin/env bash
case "$1" in --context=*) shift ;; esac
if [ "$1" = kustomize ]; then printf "metadata:\\n  namespace: credit\\n  name: $SERVER\\n"; exit 0; fi
echo "$*" >>"$LOG"
case "$*" in *"$FAIL_AT"*) exit 1 ;; esac
case "$*" in
  'config current-context') echo "$CONTEXT" ;;
  'get namespace '*) printf %s "$NAMESPACE" ;;
  'get secret '*) printf %s "$AUTHORITIES" ;;
  'get service '*) printf %s "$LEADS" ;;
  'create --dry-run'*) printf %s "$WANTED" ;;
  'get pods '*) printf %s "$WRITERS" ;;
  'get cluster'*) printf 'credit-db=\\ncredit-db-old=on\\nrestore-drill-credit-db=\\ncredit-db-restored=\\n' ;;
  'get job '*stage=verify*) printf %b "$VERIFIED" ;;
  'get job '*stage=migrate*) printf %b "$MIGRATIONS" ;;
  'get job '*) printf 'provision=SuccessCriteriaMet Complete\\n' ;;
  'diff '*) exit "$DIFFERENCE" ;;
esac
`;

// A release is some thirty processes.
jest.setTimeout(120_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'apply-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const AUTHORITY = '-----BEGIN CERTIFICATE-----';

function apply(
  fail_at = 'nothing',
  {
    args = ['prod', '--yes'],
    authorities = AUTHORITY,
    context = 'credit-prod',
    namespace = 'namespace/credit',
    migrations = 'identity-migrate=Complete\\nscoring-migrate=SuccessCriteriaMet Complete\\n',
    difference = 1,
    kubectl_options = '',
    leads = 'database=credit-db\n',
    wanted = 'database=credit-db\n',
    writers = 'pod/reporting-1',
    server = 'credit-db',
    verified = 'verify-record-restored=Complete\\n',
  } = {},
): { code: number | null; calls: string[]; said: string } {
  const kubectl = path.join(folder, 'kubectl');
  const log = path.join(folder, 'log');
  writeFileSync(log, '');
  writeFileSync(kubectl, FAKE);
  chmodSync(kubectl, 0o755);
  const { status, stderr } = spawnSync('bash', [SCRIPT, ...args], {
    encoding: 'utf8',
    env: {
      ...process.env,
      KUBECTL: `${kubectl}${kubectl_options}`,
      LOG: log,
      FAIL_AT: fail_at,
      AUTHORITIES: authorities,
      CONTEXT: context,
      NAMESPACE: namespace,
      MIGRATIONS: migrations,
      DIFFERENCE: String(difference),
      LEADS: leads,
      WANTED: wanted,
      WRITERS: writers,
      SERVER: server,
      VERIFIED: verified,
    },
  });
  return { code: status, calls: readFileSync(log, 'utf8').trim().split('\n'), said: stderr };
}

const selected = (calls: readonly string[]) =>
  calls.flatMap((call) => /^apply .*--selector=(.*)$/.exec(call)?.[1] ?? []);

const GROUND = 'stage notin (provision,migrate,verify,serve)';

describe('applying a release', () => {
  it('makes roles before schemas and schemas before services', () => {
    const { code, calls } = apply();
    expect(code).toBe(0);
    expect(selected(calls)).toEqual([GROUND, 'stage=provision', 'stage=migrate', 'stage=serve']);
  });

  it('bounds what a drill may make before there is one, and nothing where there is none', () => {
    const bound = ({ calls }: { calls: string[] }) =>
      calls
        .filter((call) => call.includes('/drill-admission.yaml'))
        .map((call) => call.split(' ')[0]);
    const with_drill = bound(apply('nothing', { server: 'restore-drill-credit-db' }));
    expect(with_drill).toEqual(['diff', 'apply', 'apply', 'apply', 'apply']);
    expect(bound(apply())).toEqual([]);
  });

  it('touches no cluster but the one that the overlay names', () => {
    const { code, calls, said } = apply('nothing', { context: 'credit-dev' });
    expect(code).not.toBe(0);
    expect(calls).toEqual(['config current-context']);
    expect(said).toContain('credit-prod');
    // Whatever is current, an option leads elsewhere.
    for (const kubectl_options of [' --context=other', ' --server=https://127.0.0.1:1']) {
      const led = apply('nothing', { kubectl_options });
      expect(led.code).not.toBe(0);
      expect(selected(led.calls)).toEqual([]);
    }
    const named = { context: 'credit-dev', kubectl_options: ' --context=credit-prod' };
    expect(apply('nothing', named).code).toBe(0);
    for (const overlay of overlayNames()) {
      const file = path.join(ROOT, 'deploy/k8s/overlays', overlay, 'context');
      expect(readFileSync(file, 'utf8')).toMatch(/^[\w.-]+\n$/);
    }
  });

  it('shows what would change before anything does, and asks', () => {
    const { calls } = apply();
    const [compared] = calls.filter((call) => call.startsWith('diff'));
    expect(compared).toContain('--server-side --field-manager=credit-network');
    // Jobs cannot be changed: of those, a comparison would be an error.
    expect(compared).toContain('--selector=stage notin (provision,migrate,verify)');
    expect(calls.findIndex((call) => call.startsWith('diff'))).toBeLessThan(
      calls.findIndex((call) => call.startsWith('apply')),
    );
    // Nobody is at the terminal of a test.
    const unasked = apply('nothing', { args: ['prod'] });
    expect(unasked.code).not.toBe(0);
    expect(selected(unasked.calls)).toEqual([]);
    expect(unasked.said).toContain('--yes');
    const shown = apply('nothing', { args: ['prod', 'diff'] });
    expect(shown.code).toBe(0);
    expect(selected(shown.calls)).toEqual([]);
    const first = apply('nothing', { namespace: '' });
    expect(first.code).toBe(0);
    expect(first.calls.join('\n')).not.toContain('diff ');
  });

  it('stops before anything changes where somebody has changed a field by hand', () => {
    const { code, calls, said } = apply('nothing', { difference: 2 });
    expect(code).not.toBe(0);
    expect(selected(calls)).toEqual([]);
    expect(said).toContain('--take-over');
    const taken = apply('nothing', { args: ['prod', '--yes', '--take-over'] });
    expect(taken.code).toBe(0);
    const forced = taken.calls.filter((call) => /^(?:apply|diff) .*--selector/.test(call));
    expect(forced).toHaveLength(5);
    for (const call of forced) expect(call).toContain('--force-conflicts');
  });

  it('is one field manager, whatever it applies', () => {
    const { calls } = apply();
    const applied = calls.filter((call) => call.startsWith('apply '));
    // Four stages, and whom everybody believes as a Secret and as a ConfigMap.
    expect(applied).toHaveLength(6);
    for (const call of applied) {
      expect(call).toContain('--server-side --field-manager=credit-network');
      expect(call).not.toContain('--force-conflicts');
    }
  });

  it('has everybody believe the authorities before it waits for what shows certificates', () => {
    const { calls } = apply();
    const made = calls.findIndex((call) => call.startsWith('create secret generic credit-auth'));
    expect(calls.findIndex((call) => call.startsWith('wait certificate'))).toBeLessThan(made);
    expect(calls.findIndex((call) => call.startsWith('wait cluster'))).toBeGreaterThan(made);
    // With none everybody would refuse everybody.
    const { code, calls: without } = apply('nothing', { authorities: '' });
    expect(code).not.toBe(0);
    expect(without.join('\n')).not.toContain('create secret');
  });

  it('sets passwords alone where that is all, and asks nobody', () => {
    const { code, calls } = apply('nothing', { args: ['prod', 'provision'] });
    expect(code).toBe(0);
    expect(calls.filter((call) => call.startsWith('apply'))).toHaveLength(1);
    expect(calls.join('\n')).not.toMatch(/stage=(migrate|serve)/);
  });

  it('leaves the services of the release before alone when a migration fails, and says why at once', () => {
    const { code, calls, said } = apply('nothing', {
      migrations:
        'identity-migrate=SuccessCriteriaMet Complete\\nscoring-migrate=FailureTarget Failed\\n',
    });
    expect(code).not.toBe(0);
    expect(calls.join('\n')).not.toContain('stage=serve');
    expect(calls).toContain('logs job/scoring-migrate --namespace=credit --tail=20');
    expect(said).toContain('deploy/k8s/apply.sh prod migrate');
  });

  it('tries migrations again in the place of those that failed', () => {
    const { code, calls } = apply('nothing', { args: ['prod', 'migrate', '--yes'] });
    expect(code).toBe(0);
    expect(selected(calls)).toEqual([GROUND, 'stage=migrate', 'stage=serve']);
    const removed = calls.findIndex((call) => call.startsWith('delete job'));
    expect(calls[removed]).toContain('--selector=stage=migrate --cascade=foreground');
    expect(removed).toBeLessThan(calls.findIndex((call) => call.endsWith('=stage=migrate')));
  });

  it('goes back to the services of an older release without its migrations', () => {
    const { code, calls } = apply('nothing', { args: ['prod', 'services', '--yes'] });
    expect(code).toBe(0);
    expect(selected(calls)).toEqual([GROUND, 'stage=serve']);
    expect(calls.join('\n')).not.toContain(' job');
    expect(apply('nothing', { args: ['prod', 'servces', '--yes'] }).code).not.toBe(0);
  });

  it('verifies a server beside the one that serves, and touches no service', () => {
    const { code, calls } = apply('nothing', { args: ['prod-restore', 'verify', '--yes'] });
    expect(code).toBe(0);
    expect(selected(calls)).toEqual([GROUND, 'stage=verify']);
    expect(calls.filter((call) => call.startsWith('wait cluster'))).toEqual([
      expect.stringContaining('/credit-db-restored '),
    ]);
    const wrong = apply('nothing', {
      args: ['prod-restore', 'verify', '--yes'],
      verified: 'verify-record-restored=FailureTarget Failed\\n',
    });
    expect(wrong.code).not.toBe(0);
    expect(wrong.said).toContain('deploy/k8s/apply.sh prod-restore verify');
  });

  it('puts down what services stand on, and no service, where a region only follows', () => {
    const args = ['prod-second-region', 'ground', '--yes'];
    const { code, calls } = apply('nothing', { args, context: 'credit-prod-second' });
    expect(code).toBe(0);
    expect(selected(calls)).toEqual([GROUND]);
    expect(calls.join('\n')).toContain('wait cluster.postgresql.cnpg.io/credit-db ');
  });

  it('moves traffic to another server only while nothing writes', () => {
    const args = ['prod-moved', 'ground', '--yes'];
    const wanted = 'database=credit-db-restored\n';
    const { code, calls, said } = apply('nothing', { args, wanted });
    expect(code).not.toBe(0);
    expect(selected(calls)).toEqual([]);
    expect(said).toContain('pod/reporting-1');
    const stopped = apply('nothing', { args, wanted, writers: '' });
    expect(stopped.code).toBe(0);
    expect(selected(stopped.calls)).toEqual([GROUND]);
  });

  it('waits for every server that traffic goes to, and finds the one of many that would move', () => {
    const leads = 'reporting-db=reporting-db\nscoring-db=scoring-db\n';
    const args = ['prod-large', 'ground', '--yes'];
    const { code, calls } = apply('nothing', { args, leads, wanted: `identity-db=x\n${leads}` });
    expect(code).toBe(0);
    expect(calls.filter((call) => call.startsWith('wait cluster'))).toEqual([
      expect.stringContaining('/reporting-db '),
      expect.stringContaining('/scoring-db '),
    ]);
    const wanted = leads.replace('=scoring-db', '=scoring-db-restored');
    const moved = apply('nothing', { args, leads, wanted });
    expect(moved.code).not.toBe(0);
    expect(moved.said).toContain('scoring-db=scoring-db while services run');
    expect(moved.said).not.toContain('reporting-db=reporting-db');
  });

  it('finds every object in one of its stages', () => {
    for (const overlay of overlayNames()) {
      for (const { kind, metadata } of buildOverlay(overlay)) {
        const stage = metadata.labels?.['stage'];
        if (stage !== undefined) expect(STAGES).toContain(stage);
        if (kind === 'Job') expect(['provision', 'migrate', 'verify']).toContain(stage);
        if (['CronJob', 'HorizontalPodAutoscaler', 'ScaledObject'].includes(kind)) {
          expect([metadata.name, stage]).toEqual([metadata.name, 'serve']);
        }
      }
    }
  });
});

describe('applying a release by Argo CD', () => {
  const component = path.join(ROOT, 'deploy/k8s/components/argo-cd');
  const application = load(readFileSync(path.join(component, 'application.yaml'), 'utf8')) as {
    spec: {
      source: { path: string; kustomize: { components: string[] } };
      syncPolicy: { automated?: unknown; syncOptions: string[] };
    };
  };

  function build(overlay: string, components: readonly string[]): Manifest[] {
    const kustomization = {
      resources: [path.relative(folder, overlay)],
      components: components.map((name) => path.relative(folder, path.join(overlay, name))),
    };
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(stderr);
    return loadAll(stdout) as Manifest[];
  }

  it('has the stages as waves, and Jobs that are made anew', () => {
    const { path: overlay, kustomize } = application.spec.source;
    const waves = { provision: '1', migrate: '2', serve: '3' };
    const built = build(path.join(ROOT, overlay), kustomize.components);
    for (const { kind, metadata } of built) {
      const stage = metadata.labels?.['stage'] as keyof typeof waves | undefined;
      const { annotations = {} } = metadata;
      expect([kind, metadata.name, annotations['argocd.argoproj.io/sync-wave']]).toEqual([
        kind,
        metadata.name,
        stage && waves[stage],
      ]);
      const policy = annotations['argocd.argoproj.io/hook-delete-policy'];
      expect(policy).toBe(kind === 'Job' ? 'BeforeHookCreation' : undefined);
    }
    expect(built.filter(({ kind }) => kind === 'Job').length).toBeGreaterThan(5);
    // Without the component there is no order in it.
    const plain = buildOverlay('prod').filter(({ metadata }) =>
      Object.keys(metadata.annotations ?? {}).some((name) => name.startsWith('argocd')),
    );
    expect(plain).toEqual([]);
  });

  it('takes what was done by hand back at a sync only, which a person begins', () => {
    const { automated, syncOptions } = application.spec.syncPolicy;
    expect(automated).toBeUndefined();
    expect(syncOptions).toContain('ServerSideApply=true');
  });
});
