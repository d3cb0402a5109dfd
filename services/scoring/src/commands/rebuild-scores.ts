import type { Environment } from '@credit/platform/context';
import { loadSubjectHead } from '../store/subject-files';
import {
  type OperatorDeps,
  pagesOfHeads,
  rebuildSubjects,
  stepContext,
} from './go-through-subjects';

export interface Rebuilt {
  readonly environment: Environment;
  readonly subjects: number;
}

const PAGE_SIZE = 1_000;
const BATCH = 64;

/**
 * Makes every projection and score anew from reporting's record. The service may go on meanwhile:
 * each subject is replaced under its lock, and never by something older. Snapshots stay; after a
 * wipe their history begins again with the score of now.
 */
export async function rebuildScores(
  deps: OperatorDeps,
  environment: Environment,
): Promise<Rebuilt> {
  let subjects = 0;
  for await (const { heads } of pagesOfHeads(deps, environment, PAGE_SIZE)) {
    const wanted: string[] = [];
    for (const { subject_id, version } of heads) {
      // Of a subject nothing was ever reported of there is nothing to keep.
      const is_needed =
        version > 0 ||
        (await loadSubjectHead(deps.db.read(stepContext(environment)), subject_id)) !== undefined;
      if (is_needed) wanted.push(subject_id);
    }
    for (let from = 0; from < wanted.length; from += BATCH) {
      const batch = wanted.slice(from, from + BATCH);
      await rebuildSubjects(deps, environment, batch);
      subjects += batch.length;
    }
    deps.logger.info({ environment, subjects }, 'rebuilding scores');
  }
  return { environment, subjects };
}
