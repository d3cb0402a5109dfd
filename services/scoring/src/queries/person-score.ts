import type { CallContext } from '@credit/platform/context';
import { personOf } from '@credit/platform/requests';
import { CURRENT_MODEL, modelInput, type Score } from '../domain/model';
import type { ReportingClient } from '../reporting-client';

/** The calling person's own score, by the model in force. */
export async function getPersonScore(
  reporting: Pick<ReportingClient, 'readWhole'>,
  ctx: CallContext,
  as_of_day: number,
): Promise<Score> {
  // From the record itself: what a read of the projection notices, it writes snapshots of.
  const { subject_type, accounts, inquiries } = await reporting.readWhole(ctx, personOf(ctx));
  const facts = accounts.map((account) => account.facts);
  return CURRENT_MODEL.score(modelInput({ subject_type, accounts: facts, inquiries }, as_of_day));
}
