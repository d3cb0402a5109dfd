import { logLeaks } from '@credit/platform/db';
import { embeddedManifests } from './kustomize';
import { type Finding, type Manifest, ofKind, titleOf } from './manifest';

interface PostgresqlSpec {
  imageName?: string;
  bootstrap?: { initdb?: { database?: string; postInitApplicationSQL?: string[] } };
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

/** What must be in the log of everybody, whatever else is. */
const AUDITED = ['ddl', 'role'];

/**
 * Changes of schemas, roles and rights are in every database's log, and whatever a superuser does in the
 * network's; in a copy that comes with the data.
 */
export function databaseAudit(manifests: readonly Manifest[]): Finding[] {
  const findings: Finding[] = [];
  const all = [...manifests, ...embeddedManifests(manifests)];
  for (const manifest of ofKind(all, 'Cluster')) {
    const say = (message: string) =>
      findings.push({ rule: 'database audit', title: titleOf(manifest), message });
    const { imageName = '', bootstrap, postgresql } = manifest.spec as PostgresqlSpec;
    const logged = postgresql?.parameters?.['pgaudit.log']?.split(',').map((one) => one.trim());
    for (const wanted of AUDITED)
      if (!logged?.includes(wanted)) say(`logs no ${wanted} statements`);
    // CloudNativePG's images of the other kinds have no extensions: an instance would not start.
    if (!/:[\d.]+-standard-/.test(imageName)) say(`runs ${imageName}, which has no pgaudit`);
    const { initdb } = bootstrap ?? {};
    if (initdb === undefined) continue;
    const statement = `ALTER ROLE postgres IN DATABASE ${initdb.database} SET pgaudit.log = 'all'`;
    if (!initdb.postInitApplicationSQL?.includes(statement)) say('logs nothing that superusers do');
  }
  return findings;
}
