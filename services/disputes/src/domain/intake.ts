import { type ErrorDetail, invalid } from '@credit/platform/errors';
import {
  checkText,
  isAbsoluteUrl,
  isEmail,
  isUuid,
  TEXTS,
  textFault,
} from '@credit/platform/values';
import { type Dispute, type DisputeReason, isBlock } from './dispute';

const MAX_EVIDENCE_LINKS = 10;

/** What somebody sends to open a dispute. */
export interface IntakeDraft {
  readonly subject_id?: string | undefined;
  readonly credit_event_id?: string | undefined;
  readonly reported_institution_id?: string | undefined;
  readonly opened_by: string;
  readonly contact_email?: string | undefined;
  readonly reason: DisputeReason | undefined;
  readonly description: string;
  readonly evidence_links: readonly string[];
}

/** A complete intake. */
export type Intake = Pick<
  Dispute,
  | 'subject_id'
  | 'credit_event_id'
  | 'reported_institution_id'
  | 'opened_by'
  | 'contact_email'
  | 'reason'
  | 'description'
  | 'evidence_links'
>;

const IDS = ['subject_id', 'credit_event_id', 'reported_institution_id'] as const;

/**
 * Checks an intake's form; VALIDATION_ERROR names every field that is wrong.
 * Whether its ids exist is not asked: the answer would tell.
 */
export function parseIntake(draft: IntakeDraft, opener: 'ANYBODY' | 'PERSON' = 'ANYBODY'): Intake {
  const details: ErrorDetail[] = [];
  const wrong = (path: string, message: string) => void details.push({ path, message });

  const id = (path: (typeof IDS)[number]): string | undefined => {
    const text = draft[path];
    if (text === undefined || text === '') return undefined;
    if (!isUuid(text)) wrong(path, 'must be a UUID');
    return text.toLowerCase();
  };
  const [subject_id, credit_event_id, reported_institution_id] = [
    id('subject_id'),
    id('credit_event_id'),
    id('reported_institution_id'),
  ];
  if (
    subject_id === undefined &&
    credit_event_id === undefined &&
    reported_institution_id === undefined
  ) {
    wrong('', `at least one of ${IDS.join(', ')} is required`);
  }
  checkText('opened_by', draft.opened_by, TEXTS.dispute_opener, wrong);
  if (draft.contact_email !== undefined && !isEmail(draft.contact_email)) {
    wrong('contact_email', 'must be an e-mail address');
  }
  checkText('description', draft.description, TEXTS.dispute_description, wrong);
  if (draft.reason === undefined) wrong('reason', 'is required');
  else if (isBlock(draft.reason) && opener === 'ANYBODY') {
    // It takes effect at once: nobody may take something off the file of another.
    wrong('reason', `${draft.reason} is for persons at their own file`);
  }
  if (draft.evidence_links.length > MAX_EVIDENCE_LINKS) {
    wrong('evidence_links', `must hold at most ${MAX_EVIDENCE_LINKS} links`);
  }
  for (const [index, link] of draft.evidence_links.slice(0, MAX_EVIDENCE_LINKS).entries()) {
    if (!isLink(link)) wrong(`evidence_links[${index}]`, 'must be an absolute http or https URL');
  }
  if (details.length > 0 || draft.reason === undefined) throw invalid(details);
  return {
    subject_id,
    credit_event_id,
    reported_institution_id,
    opened_by: draft.opened_by,
    contact_email: draft.contact_email,
    reason: draft.reason,
    description: draft.description,
    evidence_links: draft.evidence_links,
  };
}

function isLink(text: string): boolean {
  return textFault(text, TEXTS.link) === undefined && isAbsoluteUrl(text, ['http', 'https']);
}
