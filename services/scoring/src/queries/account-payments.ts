import type { CallContext } from '@credit/platform/context';
import { uuidFrom } from '@credit/platform/requests';
import { CURRENT_MODEL, type History, instantOfDay, modelInput } from '../domain/model';
import type { ReportingClient } from '../reporting-client';

export interface AccountPayments
  extends Pick<History, 'payment_grid' | 'on_time_24m' | 'late_24m' | 'worst_bucket_24m'> {
  readonly account_id: string;
  readonly as_of_ms: number;
}

/** How one of the caller's accounts was paid: its file with that account alone. */
export async function getAccountPayments(
  reporting: Pick<ReportingClient, 'readWhole' | 'subjectOfAccount'>,
  ctx: CallContext,
  wanted: string,
  as_of_day: number,
): Promise<AccountPayments> {
  const account_id = uuidFrom('account_id', wanted);
  const subject_id = await reporting.subjectOfAccount(ctx, account_id);
  // From the record itself, so that what was acknowledged is in it.
  const { subject_type, accounts } = await reporting.readWhole(ctx, subject_id);
  const own = accounts.flatMap(({ facts }) => (facts.account_id === account_id ? [facts] : []));
  const alone = modelInput({ subject_type, accounts: own, inquiries: [] }, as_of_day);
  const { payment_grid, on_time_24m, late_24m, worst_bucket_24m } =
    CURRENT_MODEL.profile(alone).history;
  return {
    account_id,
    as_of_ms: instantOfDay(as_of_day),
    payment_grid,
    on_time_24m,
    late_24m,
    worst_bucket_24m,
  };
}
