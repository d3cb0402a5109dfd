import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildOverlay, ROOT } from './kustomize';

const SCRIPT = path.join(ROOT, 'deploy/k8s/apply.sh');
const STAGES = ['provision', 'migrate', 'serve'];

/** Stands in for kubectl: notes what it is told, and fails where it is told to. */
const FAKE = `#!/usr/bin/env bash
if [ "$1" = kustomize ]; then printf 'metadata:\\n  namespace: credit\\n'; exit 0; fi
echo "$*" >>"$LOG"
case "$*" in *"$FAIL_AT"*) exit 1 ;; esac
case "$*" in "get secret"*) printf %s "$AUTHORITIES" ;; esac
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'apply-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const AUTHORITY = '-----BEGIN CERTIFICATE-----';

function apply(
  fail_at = 'nothing',
  { args = ['prod'], authorities = AUTHORITY } = {},
): { code: number | null; calls: string[] } {
  const kubectl = path.join(folder, 'kubectl');
  const log = path.join(folder, 'log');
  writeFileSync(log, '');
  writeFileSync(kubectl, FAKE);
  chmodSync(kubectl, 0o755);
  const { status } = spawnSync('bash', [SCRIPT, ...args], {
    env: {
      ...process.env,
      KUBECTL: kubectl,
      LOG: log,
      FAIL_AT: fail_at,
      AUTHORITIES: authorities,
    },
  });
  return { code: status, calls: readFileSync(log, 'utf8').trim().split('\n') };
}

describe('applying a release', () => {
  it('makes roles before schemas and schemas before services', () => {
    const { code, calls } = apply();
    expect(code).toBe(0);
    const applied = calls.flatMap((call) => /^apply .*--selector=(.*)$/.exec(call)?.[1] ?? []);
    expect(applied).toEqual([
      'stage notin (provision,migrate,serve)',
      'stage=provision',
      'stage=migrate',
      'stage=serve',
    ]);
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

  it('sets passwords alone where that is all', () => {
    const { code, calls } = apply('nothing', { args: ['prod', 'provision'] });
    expect(code).toBe(0);
    expect(calls.filter((call) => call.startsWith('apply'))).toHaveLength(1);
    expect(calls.join('\n')).not.toMatch(/stage=(migrate|serve)/);
  });

  it('leaves the services of the release before alone when a migration fails', () => {
    const { code, calls } = apply('wait job --namespace=credit --selector=stage=migrate');
    expect(code).not.toBe(0);
    expect(calls.join('\n')).not.toContain('stage=serve');
  });

  it('finds every object in one of its stages', () => {
    for (const overlay of ['dev', 'prod']) {
      for (const { kind, metadata } of buildOverlay(overlay)) {
        const stage = metadata.labels?.['stage'];
        if (stage !== undefined) expect(STAGES).toContain(stage);
        if (kind === 'Job') expect(['provision', 'migrate']).toContain(stage);
        if (['CronJob', 'HorizontalPodAutoscaler', 'ScaledObject'].includes(kind)) {
          expect([metadata.name, stage]).toEqual([metadata.name, 'serve']);
        }
      }
    }
  });
});
