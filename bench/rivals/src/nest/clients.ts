import type { Observable } from 'rxjs';
import type { EventCommand } from '../shared/accounts.ts';
import type { Caller } from '../shared/identity.ts';
import type { InquiryRequest, SubjectFile } from '../shared/inquiries.ts';
import type { Change } from '../shared/relay.ts';
import type { Reported, ReportRequest } from '../shared/report-event.ts';

// The services of rivals.proto as their callers see them.

export interface IdentityClient {
  authorise(request: { token: string }): Observable<Caller>;
}

export interface ReportingClient {
  reportEvent(request: ReportRequest): Observable<Reported>;
  recordInquiry(request: InquiryRequest): Observable<SubjectFile>;
}

export interface ScoringClient {
  getProfile(request: InquiryRequest): Observable<{ answer: string }>;
  recordSnapshots(request: { changes: readonly Change[] }): Observable<unknown>;
}

/** A command as it comes out of its message: what was left out there is left out here. */
export function commandOf(message: EventCommand): EventCommand {
  return {
    event_type: message.event_type,
    occurred_at: message.occurred_at,
    amount_minor: message.amount_minor ?? undefined,
    balance_after_minor: message.balance_after_minor ?? undefined,
  };
}
