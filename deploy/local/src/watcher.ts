import { existsSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrationsOf, type ServiceDefinition } from './services';

/** Folders that every service is built from. */
const SHARED = ['proto/dist', 'packages/platform/dist', 'packages/contract/dist'];
/** The compiler writes many files at a time; wait until it is done. */
const QUIET_MS = 400;

/** Calls back with the services whose built code or migrations changed. */
export function watchServices(
  root: string,
  services: readonly ServiceDefinition[],
  onChange: (names: string[]) => void,
): () => void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const all = services.map((service) => service.name);
  const note = (names: string[]) => {
    for (const name of names) changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(() => {
      onChange([...changed]);
      changed.clear();
    }, QUIET_MS);
  };
  const folders = new Map<string, string[]>(SHARED.map((folder) => [folder, all]));
  for (const { name, main } of services) {
    folders.set(dirname(main), [name]);
    folders.set(migrationsOf({ main }), [name]);
  }
  const watchers = [...folders]
    .filter(([folder]) => existsSync(join(root, folder)))
    .map(([folder, names]) =>
      watch(join(root, folder), { recursive: true }, (_, file) => {
        if (/\.(js|json|sql)$/.test(file ?? '')) note(names);
      }),
    );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
