import type { ServiceDeps, ServiceParts } from '@credit/platform/runtime';
import type { DisputesConfig } from './config';
import { disputesRpc } from './rpc';

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export function build({ clock, db, newId }: ServiceDeps<DisputesConfig>): ServiceParts {
  return { services: [disputesRpc({ clock, db, newId })] };
}
