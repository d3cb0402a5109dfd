import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RetentionPolicies } from '@credit/platform/db';

export const SERVICES = path.resolve(__dirname, '../../../services');
/** Services that keep data. */
export const with_schema = readdirSync(SERVICES).filter((service) =>
  existsSync(path.join(SERVICES, service, 'migrations')),
);

/** What a service declares of its tables. */
export function retentionOf(service: string): RetentionPolicies {
  return require(path.join(SERVICES, service, 'src/retention')).RETENTION;
}
