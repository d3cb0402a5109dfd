import { CURRENT_MODEL, modelInput, type Score } from '../domain/model';
import type { WholeSubject } from '../domain/subject-file';
import type { MovedFile } from '../reporting-client';

/** A file as it stands, and as it would after a move. */
export interface RehearsedFile {
  readonly subject_id: string;
  readonly accounts_before: number;
  readonly accounts_after: number;
  readonly score_before: number | undefined;
  readonly score_after: number | undefined;
  readonly grade_before: string | undefined;
  readonly grade_after: string | undefined;
}

/** A file with its scores by the model in force, as it stands and as it would after a move. */
export function rehearsedFile({ before, after }: MovedFile, as_of_day: number): RehearsedFile {
  const [now, then] = [scoreOf(before, as_of_day), scoreOf(after, as_of_day)];
  return {
    subject_id: after.subject_id,
    accounts_before: before.accounts.length,
    accounts_after: after.accounts.length,
    score_before: now.score,
    score_after: then.score,
    grade_before: now.grade,
    grade_after: then.grade,
  };
}

function scoreOf({ accounts, inquiries, subject_type }: WholeSubject, as_of_day: number): Score {
  const facts = accounts.map((account) => account.facts);
  return CURRENT_MODEL.score(modelInput({ subject_type, accounts: facts, inquiries }, as_of_day));
}
