// What reporting is sent, as the domain takes it in: by request, or row by row of a file.

import { invalid } from '@credit/platform/errors';
import { specified, withoutOuterSpace } from '@credit/platform/values';
import type * as wire from '@credit/proto/reporting/v1/reporting';
import type { EventItem } from './commands/record-events';
import type { EventDraft } from './domain/event';
import type { AccountDraft } from './domain/new-account';
import type { SubjectDraft } from './domain/subject';
import type { AccountListing } from './queries/accounts';
import { correctedTerms, msOf } from './values-from-proto';

/** A name or an identifier of the furnisher as it is kept; undefined when it is absent. */
export function bare(text: string | undefined): string | undefined {
  return text === undefined ? undefined : withoutOuterSpace(text);
}

/** A subject as it came in. */
export function subjectDraft({ founded_at, ...request }: wire.CreateSubjectRequest): SubjectDraft {
  return {
    ...request,
    type: specified(request.type),
    current_username: bare(request.current_username),
    forum_id: bare(request.forum_id),
    legal_name: bare(request.legal_name),
    registration_number: bare(request.registration_number),
    trading_name: bare(request.trading_name),
    organisation_kind: specified(request.organisation_kind),
    founded_at_ms: msOf(founded_at),
    confirm_distinct: request.confirm_distinct ?? false,
  };
}

/** An account as it came in. */
export function accountDraft(account: wire.NewAccount | undefined): AccountDraft {
  if (account === undefined) throw invalid('account', 'is required');
  const { opened_at, maturity_at, first_delinquency_at, status_since, ...same } = account;
  return {
    ...same,
    subject_id: account.subject_id.toLowerCase(),
    subject: account.subject && subjectDraft(account.subject),
    external_account_id: withoutOuterSpace(account.external_account_id),
    account_type: specified(account.account_type),
    interest_type: specified(account.interest_type),
    opened_at_ms: msOf(opened_at),
    maturity_at_ms: msOf(maturity_at),
    payment_frequency: specified(account.payment_frequency),
    status: specified(account.status),
    first_delinquency_at_ms: msOf(first_delinquency_at),
    status_since_ms: msOf(status_since),
  };
}

/** An event as it came in. */
export function eventItem(event: wire.NewEvent | undefined): EventItem {
  if (event === undefined) throw invalid('event', 'is required');
  const draft: EventDraft = {
    event_type: specified(event.event_type),
    occurred_at_ms: msOf(event.occurred_at),
    amount_minor: event.amount_minor,
    balance_after_minor: event.balance_after_minor,
    source_reference: bare(event.source_reference),
    default_severity: specified(event.default_severity),
    supersedes_event_id: event.supersedes_event_id?.toLowerCase(),
    correction_reason: event.correction_reason,
    corrected_event_type: specified(event.corrected_event_type),
    corrected_occurred_at_ms: msOf(event.corrected_occurred_at),
    corrected_terms: correctedTerms(event.corrected_account),
    certification: event.certification,
    by_network: false,
  };
  return { account_id: event.credit_account_id.toLowerCase(), draft };
}

/** Which accounts are to be listed; what has changed goes with a subject at most. */
export function accountListing(
  request: wire.ListAccountsRequest,
): AccountListing & { readonly updated_since_ms: number | undefined } {
  const status = specified(request.status);
  const external_account_id = bare(request.external_account_id);
  const updated_since_ms = msOf(request.updated_since);
  if (updated_since_ms !== undefined) {
    // An account that has left a status would be missed by who follows it.
    const beside = Object.entries({ status, external_account_id }).flatMap(([path, value]) =>
      value === undefined ? [] : [{ path, message: 'must be left out beside updated_since' }],
    );
    if (beside.length > 0) throw invalid(beside);
  }
  return { ...request, status, external_account_id, updated_since_ms };
}
