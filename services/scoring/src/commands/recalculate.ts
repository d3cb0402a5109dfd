import type { Environment } from '@credit/platform/context';
import { calculateScore } from '../domain/model';
import { inputOf, isNews, isOfAnotherModel } from '../domain/snapshot';
import { isWhole } from '../domain/subject-file';
import { pageOfSubjectFiles } from '../store/subject-files';
import { today } from './evaluate';
import { FIRST_ID, type OperatorDeps, stepContext } from './go-through-subjects';
import { recordAgeing } from './record-ageing';

export interface Recalculated {
  readonly environment: Environment;
  readonly subjects: number;
  /** Whose score or reasons are others than their last snapshot says. */
  readonly changed: number;
}

const PAGE_SIZE = 1_000;

/**
 * Works every score out again from the projections and writes a snapshot where time alone has
 * or another model has
 * changed it: what a read does for one subject. The next page is on its way meanwhile.
 */
export async function recalculate(
  deps: Pick<OperatorDeps, 'db' | 'clock' | 'newId'>,
  environment: Environment,
): Promise<Recalculated> {
  const day = today(deps);
  const pageAfter = (id: string) =>
    pageOfSubjectFiles(deps.db.read(stepContext(environment)), id, PAGE_SIZE, day);
  let subjects = 0;
  let changed = 0;
  let next = pageAfter(FIRST_ID);
  for (;;) {
    const files = await next;
    const last = files.at(-1);
    const is_last = files.length < PAGE_SIZE || last === undefined;
    if (!is_last) next = pageAfter(last.head.subject_id);
    for (const file of files) {
      if (!isWhole(file.head)) continue;
      subjects += 1;
      const is_news = isNews(file.head, calculateScore(inputOf(file, day)));
      if (!is_news && !isOfAnotherModel(file.head)) continue;
      if (is_news) changed += 1;
      await recordAgeing(deps.db, stepContext(environment), file, deps);
    }
    if (is_last) return { environment, subjects, changed };
  }
}
