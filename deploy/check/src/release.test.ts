import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readTable } from '../../../tools/services.cjs';
import { ROOT } from './kustomize';

const SERVICES = ['gateway', ...readTable().map(({ name }) => name)];
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** Stands in for docker, cosign, grype, npm and git: notes what it is told, and fails where it is told to. */
const FAKE = `#!/usr/bin/env bash
name=$(basename "$0")
[ "$name" = git ] && { printf %s "$UNCOMMITTED"; exit 0; }
echo "$name $*" >>"$LOG"
case "$name $*" in *"$FAIL_AT"*) exit 1 ;; esac
while [ $# -gt 0 ]; do
  if [ "$1" = --metadata-file ]; then echo '{"containerimage.digest":"${DIGEST}"}' >"$2"; fi
  shift
done
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  mkdirSync(path.join(folder, 'bin'));
  for (const name of ['docker', 'cosign', 'grype', 'npm', 'git']) {
    const file = path.join(folder, 'bin', name);
    writeFileSync(file, FAKE);
    chmodSync(file, 0o755);
  }
  cpSync(path.join(ROOT, 'deploy/k8s/overlays'), path.join(folder, 'deploy/k8s/overlays'), {
    recursive: true,
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

function release({ fail_at = 'nothing', uncommitted = '' } = {}) {
  const log = path.join(folder, 'log');
  writeFileSync(log, '');
  const { status, stderr } = spawnSync(
    'bash',
    [path.join(ROOT, 'deploy/release.sh'), 'registry.example.org/credit', '0.2.0'],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
        LOG: log,
        FAIL_AT: fail_at,
        UNCOMMITTED: uncommitted,
        OVERLAYS_ROOT: folder,
        COSIGN_KEY: 'cosign.key',
      },
    },
  );
  const production = readFileSync(
    path.join(folder, 'deploy/k8s/overlays/prod/kustomization.yaml'),
    'utf8',
  );
  return { status, stderr, calls: readFileSync(log, 'utf8').trim().split('\n'), production };
}

it('signs every image by its digest, and has the overlays name it by that', () => {
  const { status, stderr, calls, production } = release();
  expect([status, stderr]).toEqual([0, '']);
  for (const service of SERVICES) {
    const image = `registry.example.org/credit/${service}@${DIGEST}`;
    expect(calls).toContain(`cosign sign --yes --key cosign.key ${image}`);
    expect(calls.some((call) => call.startsWith('cosign attest') && call.endsWith(image))).toBe(
      true,
    );
    expect(calls.indexOf(`grype registry:${image} --fail-on critical`)).toBeLessThan(
      calls.indexOf(`cosign sign --yes --key cosign.key ${image}`),
    );
    expect(production).toContain(`newName: registry.example.org/credit/${service},`);
  }
  const built = calls.filter((call) => call.startsWith('docker buildx build'));
  expect(built).toHaveLength(SERVICES.length);
  for (const call of built) expect(call).toContain('--provenance=mode=max --sbom=true');
  expect(production.split(`newTag: 0.2.0@${DIGEST},`)).toHaveLength(SERVICES.length + 1);
});

it.each([
  ['a known hole in what is depended on', { fail_at: 'grype sbom' }, 'docker'],
  ['a known hole in an image', { fail_at: 'grype registry' }, 'cosign'],
  ['a signature that is refused', { fail_at: 'cosign sign' }, 'cosign attest'],
  ['changes that are in no history', { uncommitted: ' M README.md' }, 'docker'],
])('names no image after %s', (_what, wrong, never) => {
  const { status, calls, production } = release(wrong);
  expect(status).not.toBe(0);
  expect(calls.filter((call) => call.startsWith(never))).toEqual([]);
  expect(production).not.toContain('0.2.0');
});
