import { logLeaks } from '@credit/platform/db';
import { embeddedManifests } from './kustomize';
import { type Finding, type Manifest, ofKind, titleOf } from './manifest';

interface PostgresqlSpec {
  postgresql?: {
    parameters?: Record<string, string>;
    shared_preload_libraries?: string[];
  };
}

/** No database writes people's data into its log, nor does the copy that a drill restores. */
export function databaseLogs(manifests: readonly Manifest[]): Finding[] {
  const all = [...manifests, ...embeddedManifests(manifests)];
  return ofKind(all, 'Cluster').flatMap((manifest) => {
    const { parameters = {}, shared_preload_libraries = [] } =
      (manifest.spec as PostgresqlSpec).postgresql ?? {};
    const settings = {
      ...parameters,
      shared_preload_libraries: shared_preload_libraries.join(),
    };
    return logLeaks(settings).map((leak) => ({
      rule: 'database logs',
      title: titleOf(manifest),
      message: `could log people's data: ${leak}`,
    }));
  });
}
