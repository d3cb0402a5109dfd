import type { Finding, Manifest } from './manifest';
import { titleOf } from './manifest';
import { moduleOf, OWN_TYPES } from './object-types';

type ModelClass = new (data: unknown) => { validate(): void };

/** Validates every object by its published schema, which knows formats and patterns too. */
export async function checkSchemas(manifests: readonly Manifest[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const manifest of manifests) {
    const module_name = moduleOf(manifest.apiVersion);
    if (module_name === OWN_TYPES) continue;
    const models = (await import(module_name)) as Record<string, ModelClass>;
    const Model = models[manifest.kind];
    if (Model === undefined) throw new Error(`There is no model of ${titleOf(manifest)}.`);
    try {
      new Model(manifest).validate();
    } catch (error) {
      findings.push({
        rule: 'schemas',
        title: titleOf(manifest),
        message: (error as Error).message,
      });
    }
  }
  return findings;
}
