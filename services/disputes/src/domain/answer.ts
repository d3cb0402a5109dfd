import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { checkText, isUuid, TEXTS } from '@credit/platform/values';

/** What a furnisher says of a dispute about its reporting. */
export type DisputeVerdict = 'VERIFIED' | 'CORRECTED' | 'NOT_OURS';

/** As many corrections mend one dispute. */
export const MAX_CORRECTIONS = 20;
/** As many answers of an institution are kept: enough to mend what was said, too few to argue by. */
export const MAX_ANSWERS = 20;

/** What an institution sends. */
export interface AnswerDraft {
  readonly verdict: DisputeVerdict | undefined;
  readonly text: string;
  readonly correction_event_ids: readonly string[];
}

/** A complete answer. */
export interface Answer {
  readonly verdict: DisputeVerdict;
  readonly text: string;
  readonly correction_event_ids: readonly string[];
}

/** An answer that is kept. */
export interface KeptAnswer extends Answer {
  readonly id: string;
  readonly institution_id: string;
  readonly answered_at: string;
}

type Wrong = (path: string, message: string) => void;

/** Checks an answer's form; VALIDATION_ERROR names every field that is wrong. */
export function parseAnswer({ correction_event_ids, text, verdict }: AnswerDraft): Answer {
  const details: ErrorDetail[] = [];
  const wrong: Wrong = (path, message) => void details.push({ path, message });
  if (verdict === undefined) wrong('verdict', 'is required');
  checkText('text', text, TEXTS.dispute_answer, wrong);
  const ids = correctionIds(correction_event_ids, wrong);
  if (verdict === 'CORRECTED' && correction_event_ids.length === 0) {
    wrong('correction_event_ids', 'is required for CORRECTED');
  }
  if (verdict !== undefined && verdict !== 'CORRECTED' && correction_event_ids.length > 0) {
    wrong('correction_event_ids', 'is for CORRECTED only');
  }
  if (details.length > 0 || verdict === undefined) throw invalid(details);
  return { verdict, text, correction_event_ids: ids };
}

function correctionIds(texts: readonly string[], wrong: Wrong): string[] {
  if (texts.length > MAX_CORRECTIONS) {
    wrong('correction_event_ids', `must hold at most ${MAX_CORRECTIONS} ids`);
    return [];
  }
  const ids = texts.map((text) => text.toLowerCase());
  for (const [index, id] of ids.entries()) {
    const path = `correction_event_ids[${index}]`;
    if (!isUuid(id)) wrong(path, 'must be a UUID');
    else if (ids.indexOf(id) < index) wrong(path, 'must not be repeated');
  }
  return ids;
}

/** Where an event is and what it is, as reporting says. */
export interface NamedCorrection {
  readonly account_id?: string | undefined;
  readonly subject_id?: string | undefined;
  readonly institution_ids: readonly string[];
  readonly event_type?: string | undefined;
}

/**
 * Throws unless each is a correction of the institution's own reporting of what is contested. Of
 * anybody else's event it says no more than of one that does not exist.
 */
export function checkCorrections(
  found: readonly NamedCorrection[],
  contested: {
    readonly account_id: string | undefined;
    readonly located_subject_id: string | undefined;
  },
  institution_id: string,
): void {
  const { account_id, located_subject_id } = contested;
  const details = found.flatMap((event, index): ErrorDetail[] => {
    const is_own = event.institution_ids.includes(institution_id);
    const is_contested =
      account_id === undefined
        ? located_subject_id === undefined || event.subject_id === located_subject_id
        : event.account_id === account_id;
    return is_own && is_contested && event.event_type === 'CORRECTION'
      ? []
      : [
          {
            path: `correction_event_ids[${index}]`,
            message: 'must be a CORRECTION that your institution filed of what is contested',
          },
        ];
  });
  if (details.length > 0) throw invalid(details);
}
