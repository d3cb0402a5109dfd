import { invalid } from '@credit/platform/errors';
import { type DisputeReason, isBlock } from './dispute';
import { type Intake, parseIntake } from './intake';

/** As many disputes as a person opens in a day. */
export const PERSON_DISPUTES_A_DAY = 20;

/** What a person says of a record on its own file. */
export interface PersonDraft {
  readonly reason: DisputeReason | undefined;
  readonly description: string;
  readonly evidence_links: readonly string[];
  readonly contact_email?: string | undefined;
}

/** What a person contests, as it names it. */
export type ContestedKind = 'credit_event_id' | 'account_id' | 'inquiry_id';

/** Where that is on the person's file. */
export interface PersonPlace {
  readonly subject_id: string;
  readonly institution_id: string;
  readonly account_id?: string | undefined;
  readonly credit_event_id?: string | undefined;
  /** The event behind what is contested; undefined when it cannot be left out of the file. */
  readonly fact_event_id?: string | undefined;
}

/** What is kept with a dispute of a person about its own file. */
export interface PersonIntake {
  readonly intake: Intake;
  readonly person_subject_id: string;
  readonly contested_account_id: string | undefined;
  readonly contested_inquiry_id: string | undefined;
  readonly fact_event_id: string | undefined;
}

const OPENED_BY = 'The person whom the record is about, known to the network.';

/** A complete intake; VALIDATION_ERROR names every field that is wrong. */
export function parsePersonDispute(
  { kind, id }: { readonly kind: ContestedKind; readonly id: string },
  draft: PersonDraft,
  place: PersonPlace,
): PersonIntake {
  const names_inquiry = kind === 'inquiry_id';
  const intake = parseIntake(
    {
      ...draft,
      subject_id: place.subject_id,
      credit_event_id: place.credit_event_id,
      reported_institution_id: names_inquiry ? place.institution_id : undefined,
      opened_by: OPENED_BY,
    },
    'PERSON',
  );
  if (names_inquiry !== (intake.reason === 'UNAUTHORISED_INQUIRY')) {
    throw invalid(
      'reason',
      names_inquiry
        ? 'must be UNAUTHORISED_INQUIRY of an inquiry'
        : 'UNAUTHORISED_INQUIRY is of an inquiry only',
    );
  }
  if (isBlock(intake.reason) && place.fact_event_id === undefined) {
    throw invalid('reason', 'must be another one: an event of this type cannot be left out');
  }
  return {
    intake,
    person_subject_id: place.subject_id,
    contested_account_id: kind === 'account_id' ? place.account_id : undefined,
    contested_inquiry_id: names_inquiry ? id.toLowerCase() : undefined,
    fact_event_id: place.fact_event_id,
  };
}
