// Renders the pages of the documentation, which takes seconds, in a thread of its own.

import { parentPort, workerData } from 'node:worker_threads';
import { buildPortal } from './portal';

/** What the pages are made from. */
export interface SiteSource {
  readonly openapi: Record<string, unknown>;
  readonly docs_directory: string;
  readonly support_email: string | undefined;
}

const { openapi, docs_directory, support_email } = workerData as SiteSource;
parentPort?.postMessage(buildPortal(openapi, docs_directory, support_email));
