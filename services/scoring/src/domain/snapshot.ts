// When a score is worth a snapshot, and what the snapshot says.

import { createHash } from 'node:crypto';
import {
  CURRENT_MODEL,
  type FactorPoints,
  type ModelInput,
  modelInput,
  type Reason,
  type Score,
} from './model';
import type { SubjectFile, SubjectHead, Trigger } from './subject-file';

export interface Snapshot {
  readonly subject_id: string;
  readonly sequence: number;
  readonly score: number | undefined;
  readonly grade: string | undefined;
  readonly model_version: string;
  readonly as_of_day: number;
  readonly trigger: Trigger;
  readonly factors: readonly FactorPoints[];
  readonly reasons: readonly Reason[];
  readonly previous_score: number | undefined;
  readonly input_hash: Buffer;
}

function codesOf(reasons: readonly Reason[]): string {
  return reasons.map(({ code }) => code).join(' ');
}

export function inputOf({ head, accounts, inquiries }: SubjectFile, as_of_day: number): ModelInput {
  return modelInput(
    {
      subject_type: head.subject_type,
      accounts: [...accounts.values()].map(({ facts }) => facts),
      inquiries: [...inquiries.values()],
    },
    as_of_day,
  );
}

/** True when a score differs from the last snapshot in its number or its reasons. */
export function isNews(head: SubjectHead, { score, reasons }: Score): boolean {
  return score !== head.score || codesOf(reasons) !== head.reason_codes;
}

/** True of a score that another model than the one in force has made. */
export function isOfAnotherModel({ model_version, snapshot_sequence }: SubjectHead): boolean {
  return snapshot_sequence > 0 && model_version !== CURRENT_MODEL.version;
}

/** What a score that is news without a new fact comes from. */
export function triggerWithoutFact(head: SubjectHead): Trigger {
  return { type: isOfAnotherModel(head) ? 'MODEL' : 'AGEING', id: undefined };
}

/** The head after the next snapshot, and the snapshot; undefined when the score is no news. */
export function nextSnapshot(
  head: SubjectHead,
  input: ModelInput,
  trigger: Trigger,
): { head: SubjectHead; snapshot: Snapshot } | undefined {
  const calculated = CURRENT_MODEL.score(input);
  if (!isNews(head, calculated)) return undefined;
  const { score, grade, factors, reasons } = calculated;
  const sequence = head.snapshot_sequence + 1;
  return {
    head: {
      ...head,
      snapshot_sequence: sequence,
      score,
      reason_codes: codesOf(reasons),
      model_version: CURRENT_MODEL.version,
    },
    snapshot: {
      subject_id: head.subject_id,
      sequence,
      score,
      grade,
      model_version: CURRENT_MODEL.version,
      as_of_day: input.as_of_day,
      trigger,
      factors,
      reasons,
      previous_score: head.score,
      input_hash: createHash('sha256').update(CURRENT_MODEL.canonicalInput(input)).digest(),
    },
  };
}
