/** What somebody contests, as far as ids say. */
export interface Contested {
  readonly subject_id?: string | undefined;
  readonly credit_event_id?: string | undefined;
  readonly reported_institution_id?: string | undefined;
}

/** Where a record is and who reported it; undefined and nobody when it is unknown. */
export interface Place {
  readonly subject_id?: string | undefined;
  readonly account_id?: string | undefined;
  readonly institution_ids: readonly string[];
}

/** A record that the network does not know. */
export const NOWHERE: Place = { institution_ids: [] };

/** What reporting has to be asked to know whose record it is; undefined when ids say it all. */
export function referenceOf(
  contested: Contested,
): { readonly kind: 'event' | 'subject'; readonly id: string } | undefined {
  const { credit_event_id, reported_institution_id, subject_id } = contested;
  if (credit_event_id !== undefined) return { kind: 'event', id: credit_event_id };
  if (reported_institution_id !== undefined || subject_id === undefined) return undefined;
  return { kind: 'subject', id: subject_id };
}

/** Whether there is anybody to tell, or a file to show a flag in. */
export function isOnRecord({ institution_ids, subject_id }: Place): boolean {
  return institution_ids.length > 0 || subject_id !== undefined;
}

/**
 * Whose reporting is contested: that of an event is certain, whatever else the opener names. An
 * institution is taken at the opener's word otherwise, and a bare subject concerns all who report
 * about it.
 */
export function institutionsConcerned(contested: Contested, place: Place): readonly string[] {
  const { credit_event_id, reported_institution_id } = contested;
  const is_located_event = credit_event_id !== undefined && place.institution_ids.length > 0;
  if (is_located_event || reported_institution_id === undefined) return place.institution_ids;
  return [reported_institution_id];
}

/**
 * Whose inquiries about whom a dispute may be about; undefined when nobody is named, or nothing is known
 * of what is. Of one that names the subject alone they are everybody's: the inquiries say whose they are.
 */
export function inquiriesOf(
  dispute: Contested & { readonly located_subject_id: string | undefined },
  concerned: readonly string[],
): { readonly subject_id: string; readonly institution_ids: readonly string[] } | undefined {
  const subject_id = dispute.located_subject_id ?? dispute.subject_id;
  const names_whose = (dispute.reported_institution_id ?? dispute.credit_event_id) !== undefined;
  if (subject_id === undefined || (names_whose && concerned.length === 0)) return undefined;
  return { subject_id, institution_ids: names_whose ? concerned : [] };
}

/** What of the record a dispute contests, as reporting is asked for it; undefined for what is on no account. */
export function recordOf(
  dispute: Contested & {
    readonly reason: string;
    readonly located_subject_id: string | undefined;
  },
): { readonly credit_event_id: string } | { readonly subject_id: string } | undefined {
  const { credit_event_id } = dispute;
  if (credit_event_id !== undefined) return { credit_event_id };
  const subject_id = dispute.located_subject_id ?? dispute.subject_id;
  // An inquiry is on no account.
  if (subject_id === undefined || dispute.reason === 'UNAUTHORISED_INQUIRY') return undefined;
  return { subject_id };
}
