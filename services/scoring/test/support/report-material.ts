// What reports of tests are made of.

import { instantOfDay } from '../../src/domain/model';
import type {
  Look,
  PastFile,
  RecordedAccount,
  RecordedEvent,
  ReportMaterial,
} from '../../src/reports/domain/report-content';
import { account, daysAgo, TODAY } from '../model/facts-for-tests';

export const at = (days: number) => new Date(instantOfDay(daysAgo(days))).toISOString();

let sequence = 0;
export function event(facts: Partial<RecordedEvent>): RecordedEvent {
  sequence += 1;
  return {
    event_id: `e${sequence}`,
    event_type: 'PAYMENT_MADE',
    occurred_at: at(100 - sequence),
    reported_at: at(100 - sequence),
    sequence,
    amount: undefined,
    balance_after: undefined,
    default_severity: undefined,
    source_reference: undefined,
    supersedes_event_id: undefined,
    superseded_by_event_id: undefined,
    correction_reason: undefined,
    corrected_event_type: undefined,
    effect: 'EFFECTIVE',
    resulting_status: 'CURRENT',
    ...facts,
  };
}

export function look(facts: Partial<Look>): Look {
  return {
    inquiry_id: 'i1',
    institution_id: 'north',
    purpose: 'REFINANCING',
    inquiry_type: 'HARD',
    duplicate: false,
    voided: false,
    created_at: at(10),
    ...facts,
  };
}

export function material(
  file: Partial<PastFile> = {},
  rest: Partial<Omit<ReportMaterial, 'file' | 'report'>> & {
    report?: Partial<ReportMaterial['report']>;
  } = {},
): ReportMaterial {
  return {
    subject: {
      id: 's1',
      type: 'INDIVIDUAL',
      display_name: 'stonecutter',
      game_uuid: undefined,
      current_username: 'stonecutter',
      legal_name: undefined,
      trading_name: undefined,
      registration_number: undefined,
      organisation_kind: undefined,
      founded_at: undefined,
    },
    accounts: [],
    scores: [],
    ...rest,
    file: {
      subject_type: 'INDIVIDUAL',
      accounts: [],
      inquiries: [],
      looks: [],
      alerts: [],
      statements: [],
      ...file,
    },
    report: {
      id: 'r1',
      report_type: 'FULL',
      format: 'JSON',
      purpose: 'ACCOUNT_REVIEW',
      inquiry_id: 'r1',
      institution_id: 'north',
      as_of: new Date(instantOfDay(TODAY) + 3_600_000).toISOString(),
      created_at: new Date(instantOfDay(TODAY) + 3_600_000).toISOString(),
      parties: undefined,
      model_version: undefined,
      ...rest.report,
    },
  };
}

const TYPES = ['PAYMENT_DUE', 'PAYMENT_MADE', 'BALANCE_UPDATED', 'PAYMENT_LATE', 'ACCOUNT_CURRENT'];
const ACCOUNTS = 10;

/** A report about ten accounts with so many events among them. */
export function materialOf(
  count: number,
  format: ReportMaterial['report']['format'],
): ReportMaterial {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    account({ account_id: `a${index}`, institution_id: `i${index % 3}` }),
  );
  return material({ accounts }, { accounts: eventsOf(count), report: { format } });
}

function eventsOf(count: number): RecordedAccount[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => ({
    account_id: `a${index}`,
    external_account_id: undefined,
    events: Array.from({ length: Math.ceil((count - index) / ACCOUNTS) }, (_unused, number) =>
      event({
        event_id: `e${index}-${number}`,
        sequence: number + 1,
        event_type: TYPES[number % TYPES.length] ?? '',
        occurred_at: new Date(Date.UTC(2020, 0, 1 + (number % 2_000))).toISOString(),
        reported_at: new Date(Date.UTC(2020, 0, 2 + (number % 2_000))).toISOString(),
        amount: BigInt(1_000 + number * 7),
        balance_after: BigInt(10_000_000 + number * 13),
      }),
    ),
  }));
}
