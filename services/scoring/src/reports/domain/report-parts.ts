// What the content of a report and the part that commercial ones add are both made of.

import type { AccountType, Bucket, SubjectType } from '../../domain/model';

/** Who the report is about. */
export interface ReportSubject {
  readonly id: string;
  readonly type: SubjectType;
  readonly display_name: string;
  readonly game_uuid: string | undefined;
  readonly current_username: string | undefined;
  readonly legal_name: string | undefined;
  readonly trading_name: string | undefined;
  readonly registration_number: string | undefined;
  readonly organisation_kind: string | undefined;
  readonly founded_at: string | undefined;
}

export interface TradeLine {
  /** A1, A2, … within this report. */
  readonly ref: string;
  readonly furnisher: string;
  readonly own: boolean;
  /** Own accounts only. */
  readonly account_id: string | undefined;
  readonly external_account_id: string | undefined;
  readonly account_type: AccountType;
  readonly revolving: boolean;
  readonly currency: string;
  readonly original_principal: bigint;
  readonly credit_limit: bigint | undefined;
  readonly balance: bigint;
  readonly status: string;
  readonly days_past_due: number;
  readonly bucket: Bucket;
  readonly opened_on: string;
  readonly closed_on: string | undefined;
  readonly on_time_24m: number;
  readonly late_24m: number;
  readonly payment_grid: string;
}
