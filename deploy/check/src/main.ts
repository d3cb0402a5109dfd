// What can be said about a deployment without a cluster: `npm run check` runs it.

import { checkAlertRoutes } from './alert-routes';
import { checkComparison } from './comparison';
import { checkCompose } from './compose';
import { imagesOf } from './configuration-rules';
import { checkDashboards } from './dashboards';
import { checkDockerfile } from './dockerfile';
import {
  buildOverlay,
  clusterWide,
  embeddedManifests,
  everyDayAndTheWorst,
  overlayNames,
  requireKubectl,
} from './kustomize';
import type { Finding } from './manifest';
import { checkMigrations } from './migrations';
import { checkSchemas } from './object-schemas';
import { checkTypes } from './object-types';
import { lint } from './rules';
import { checkRunbooks } from './runbooks/walk';

async function main(): Promise<void> {
  requireKubectl();
  let faults = 0;
  const report = (where: string, findings: readonly Finding[]) => {
    for (const { rule, title, message } of findings) {
      console.error(`${where}: ${title} ${message} (${rule})`);
    }
    faults += findings.length;
  };
  const unpinned = new Set<string>();
  for (const overlay of overlayNames()) {
    const manifests = buildOverlay(overlay);
    const all = [...manifests, ...embeddedManifests(manifests)];
    report(`overlay ${overlay}`, checkTypes(all));
    report(`overlay ${overlay}`, await checkSchemas(all));
    report(`overlay ${overlay}`, lint(manifests));
    for (const { image } of imagesOf(all)) if (!image.includes('@sha256:')) unpinned.add(image);
  }
  report('deploy/k8s/drill-admission.yaml', checkTypes(clusterWide()));
  report('deploy/k8s/drill-admission.yaml', await checkSchemas(clusterWide()));
  report('runbooks', checkRunbooks(everyDayAndTheWorst()));
  report('docs/DEPLOYMENT.md', checkComparison());
  report('dashboards', checkDashboards());
  report('alert routes', checkAlertRoutes());
  report('deploy/Dockerfile', checkDockerfile());
  report('deploy/compose.yaml', checkCompose());
  report('migrations', checkMigrations());
  if (unpinned.size > 0) {
    console.log(
      `note: ${unpinned.size} images are named by tag alone until tools/pin-images.mjs has run on a machine that reaches their registries`,
    );
  }
  if (faults > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
