import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { ROOT } from './kustomize';
import type { Finding } from './manifest';

const COMPONENT = path.join(ROOT, 'deploy/k8s/components/grafana');

/** Every dashboard is given to Grafana: kustomize must be told of each file. */
export function checkDashboards(component = COMPONENT): Finding[] {
  const { configMapGenerator = [] } = load(
    readFileSync(path.join(component, 'kustomization.yaml'), 'utf8'),
  ) as { configMapGenerator?: Array<{ files?: string[] }> };
  const given = new Set(configMapGenerator.flatMap(({ files = [] }) => files));
  return readdirSync(path.join(component, 'dashboards'))
    .filter((name) => name.endsWith('.json'))
    .filter((name) => !given.has(`dashboards/${name}`))
    .map((name) => ({
      rule: 'dashboards',
      title: `dashboards/${name}`,
      message: 'is in no configMapGenerator of the component',
    }));
}
