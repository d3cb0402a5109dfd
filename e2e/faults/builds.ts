// An earlier build of the services, which a system begins with and leaves one service after another.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SERVICES, type ServiceName } from './plan';

const WORKSPACES = '@credit';

/** Of which build the processes of each service are when they start next. */
export class Builds {
  private constructor(
    /** Where a supervisor finds the services. */
    readonly folder: string,
    private readonly root: string,
  ) {}

  /** All services as they are at a commit of this repository, which is built if it was not yet. */
  static of(root: string, ref: string): Builds {
    const older = build(root, ref);
    const folder = mkdtempSync(path.join(tmpdir(), 'builds-'));
    mkdirSync(path.join(folder, 'services'));
    const builds = new Builds(folder, root);
    for (const service of SERVICES) builds.use(service, older);
    return builds;
  }

  /** From now on this one's are as the code is here. */
  renew(service: ServiceName): void {
    this.use(service, this.root);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private use(service: ServiceName, root: string): void {
    const link = path.join(this.folder, 'services', service);
    symlinkSync(path.join(root, 'services', service), `${link}.next`);
    renameSync(`${link}.next`, link);
  }
}

/** The folder of the build of a commit. */
function build(root: string, ref: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
  const folder = path.join(root, '.tmp/older', commit);
  const done = path.join(folder, '.built');
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, 'tree.tar');
  git('archive', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  if (installedBy(folder) !== installedBy(root)) {
    throw new Error(`${ref} needs other packages than those that are installed here.`);
  }
  linkPackages(root, folder);
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const services = SERVICES.map((service) => `services/${service}`);
  execFileSync(process.execPath, [compiler, '--build', ...services], { cwd: folder });
  writeFileSync(done, '');
  return folder;
}

/** Which versions of others' packages a lock file has installed, whoever of the workspaces wants them. */
function installedBy(root: string): string {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { version?: string }> };
  return Object.entries(packages)
    .filter(([place]) => place.startsWith('node_modules/'))
    .map(([place, { version }]) => `${place} ${version}`)
    .join();
}

/** What is installed here, but its own workspaces. */
function linkPackages(root: string, folder: string): void {
  const from = path.join(root, 'node_modules');
  const to = path.join(folder, 'node_modules');
  mkdirSync(path.join(to, WORKSPACES), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== WORKSPACES) symlinkSync(path.join(from, name), path.join(to, name));
  }
  for (const parent of ['packages', 'services']) {
    for (const name of readdirSync(path.join(folder, parent))) {
      const manifest = path.join(folder, parent, name, 'package.json');
      if (!existsSync(manifest)) continue;
      const { name: called } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string };
      symlinkSync(path.join(folder, parent, name), path.join(to, called));
    }
  }
  symlinkSync(path.join(folder, 'proto'), path.join(to, WORKSPACES, 'proto'));
}
