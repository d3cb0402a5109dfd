import type { Environment } from '@credit/platform/context';
import { isAppError } from '@credit/platform/errors';
import { emptyFile, isWhole, type SubjectHead, saysTheSame } from '../domain/subject-file';
import { keepReconciliation } from '../store/reconciliation';
import { headsBetween, loadSubjectFile } from '../store/subject-files';
import { applyWholeSubject } from './apply-whole-subject';
import { today } from './evaluate';
import {
  aFewAtOnce,
  type OperatorDeps,
  pagesOfHeads,
  rebuildSubjects,
  type SubjectVersion,
  stepContext,
} from './go-through-subjects';

/**
 * BEHIND: a message was lost, or is still on its way; mended. AHEAD: reporting has gone back.
 * UNKNOWN: reporting does not know the subject. DIFFERENT: same version, other facts; mended.
 * FAILED: could not be looked at.
 */
export type MismatchKind = 'BEHIND' | 'AHEAD' | 'UNKNOWN' | 'DIFFERENT' | 'FAILED';

export interface Mismatch {
  readonly kind: MismatchKind;
  readonly subject_id: string;
  /** The projection's version; 0 when there is none. */
  readonly here: number;
  /** Reporting's version; 0 when it has none. */
  readonly there: number;
  readonly mended: boolean;
}

export interface Reconciled {
  readonly environment: Environment;
  readonly subjects: number;
  readonly mismatches: readonly Mismatch[];
}

export interface ReconcileOptions {
  /** Compare the facts too, not only the versions. */
  readonly deep: boolean;
}

const PAGE_SIZE = 500;
/** More are counted in the log, not kept. */
const MAX_KEPT = 10_000;

/**
 * Compares every subject's head with reporting's, and mends what lags or differs. What it came
 * to is kept, for metrics.
 */
export async function reconcile(
  deps: OperatorDeps,
  environment: Environment,
  options: ReconcileOptions,
): Promise<Reconciled> {
  let subjects = 0;
  let mismatch_count = 0;
  let unmended = 0;
  const mismatches: Mismatch[] = [];
  const found = (mismatch: Mismatch | undefined) => {
    if (mismatch === undefined) return;
    mismatch_count += 1;
    if (!mismatch.mended) unmended += 1;
    deps.logger.warn({ environment, ...mismatch }, 'a projection differs from reporting');
    if (mismatches.length < MAX_KEPT) mismatches.push(mismatch);
  };
  for await (const { heads, after_id, until_id } of pagesOfHeads(deps, environment, PAGE_SIZE)) {
    subjects += heads.length;
    const here = await localHeads(deps, environment, after_id, until_id);
    await aFewAtOnce(heads, async (head) => {
      const local = here.get(head.subject_id);
      here.delete(head.subject_id);
      found(await compare(deps, environment, head, local, options));
    });
    await aFewAtOnce([...here.values()], async (local) => {
      found(await compareUnlisted(deps, environment, local));
    });
  }
  const { deep } = options;
  const result = { subjects, mismatches: mismatch_count, unmended, deep };
  await keepReconciliation(deps.db.read(stepContext(environment)), result);
  return { environment, subjects, mismatches };
}

async function localHeads(
  deps: OperatorDeps,
  environment: Environment,
  after_id: string,
  until_id: string,
): Promise<Map<string, SubjectHead>> {
  const heads = new Map<string, SubjectHead>();
  for (let from = after_id; ; ) {
    const on = deps.db.read(stepContext(environment));
    const page = await headsBetween(on, from, until_id, PAGE_SIZE);
    for (const head of page) heads.set(head.subject_id, head);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return heads;
    from = last.subject_id;
  }
}

async function compare(
  deps: OperatorDeps,
  environment: Environment,
  { subject_id, version: there }: SubjectVersion,
  local: SubjectHead | undefined,
  { deep }: ReconcileOptions,
): Promise<Mismatch | undefined> {
  const here = local?.complete_version ?? 0;
  const is_whole = local === undefined || isWhole(local);
  if (here === there && is_whole) {
    return deep && there > 0 ? compareFacts(deps, environment, subject_id) : undefined;
  }
  try {
    const whole = await deps.readWhole(stepContext(environment), subject_id);
    // The page is older than the projection: an event came between the two looks.
    if (here > there && whole.subject_version >= here) return undefined;
    if (here > whole.subject_version) {
      return { kind: 'AHEAD', subject_id, here, there: whole.subject_version, mended: false };
    }
    const mended = await deps.db.transaction(stepContext(environment), (tx) =>
      applyWholeSubject(tx, whole, deps),
    );
    return mended ? { kind: 'BEHIND', subject_id, here, there, mended } : undefined;
  } catch (error) {
    deps.logger.error({ err: error, environment, subject_id }, 'a subject could not be compared');
    return { kind: 'FAILED', subject_id, here, there, mended: false };
  }
}

async function compareFacts(
  deps: OperatorDeps,
  environment: Environment,
  subject_id: string,
): Promise<Mismatch | undefined> {
  const whole = await deps.readWhole(stepContext(environment), subject_id);
  const ctx = stepContext(environment);
  const day = today(deps);
  const file =
    (await loadSubjectFile(deps.db.read(ctx), subject_id, day)) ??
    emptyFile(subject_id, whole.subject_type);
  const here = file.head.complete_version;
  const there = whole.subject_version;
  // Something came in between: the next run sees.
  if (here !== there || saysTheSame(file, whole, day)) return undefined;
  await rebuildSubjects(deps, environment, [subject_id]);
  return { kind: 'DIFFERENT', subject_id, here, there, mended: true };
}

async function compareUnlisted(
  deps: OperatorDeps,
  environment: Environment,
  { subject_id, complete_version: here }: SubjectHead,
): Promise<Mismatch | undefined> {
  try {
    // Made after the page was read.
    await deps.readWhole(stepContext(environment), subject_id);
    return undefined;
  } catch (error) {
    const kind = isAppError(error) && error.code === 'NOT_FOUND' ? 'UNKNOWN' : 'FAILED';
    return { kind, subject_id, here, there: 0, mended: false };
  }
}
