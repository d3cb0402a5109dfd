import { csvLine, csvPlain, csvText } from '@credit/platform/values';
import type { ReportContent } from '../domain/report-content';
import { amountText } from './json';

// One table for everything, told apart by its first column, so that a spreadsheet can filter it
// and a program needs one header.
const COLUMNS = [
  'record_type',
  'account',
  'name',
  'value',
  'institution',
  'external_account_id',
  'account_type',
  'currency',
  'original_principal',
  'credit_limit',
  'balance',
  'status',
  'days_past_due',
  'bucket',
  'opened_on',
  'closed_on',
  'payment_grid',
  'event_id',
  'event_type',
  'occurred_at',
  'reported_at',
  'amount',
  'balance_after',
  'default_severity',
  'effect',
  'resulting_status',
  'supersedes_event_id',
  'superseded_by_event_id',
  'corrected_event_type',
  'correction_reason',
  'purpose',
  'score',
  'grade',
  'points',
  'max',
  'text',
  'institution_count',
  'account_count',
  'past_due_balance',
  'disputed_balance',
  'payment_count',
] as const;
type Column = (typeof COLUMNS)[number];
type Cell = string | number | bigint | boolean | undefined;
type Row = { readonly record_type: string } & { readonly [C in Column]?: Cell };

/** The content as RFC 4180 CSV in UTF-8, header first. */
export function contentCsv(content: ReportContent): string {
  const lines = [csvLine(COLUMNS)];
  for (const row of rowsOf(content)) {
    lines.push(csvLine(COLUMNS.map((column) => cellText(row[column]))));
  }
  return lines.join('');
}

function* rowsOf(content: ReportContent): Generator<Row> {
  const { report, subject, credit, risk, history } = content;
  const section = (record_type: string, values: object): Row[] =>
    Object.entries(values)
      .filter(([, value]) => typeof value !== 'object')
      .map(([name, value]) => ({ record_type, name, value: value as Cell }));
  yield* section('REPORT', report);
  yield* section('SUBJECT', subject);
  yield* section('CREDIT', credit);
  yield* section('RISK', risk);
  yield* section('HISTORY', history);
  for (const { name, points, max } of credit.factors) {
    yield { record_type: 'FACTOR', name, points, max };
  }
  for (const { kind, placed_at, ends_at, instruction } of content.alerts) {
    const text = instruction;
    yield { record_type: 'ALERT', name: kind, occurred_at: placed_at, value: ends_at, text };
  }
  for (const { record_kind, account, event_id, text, set_at } of content.statements) {
    yield {
      record_type: 'STATEMENT',
      name: record_kind,
      account,
      event_id,
      occurred_at: set_at,
      text,
    };
  }
  for (const { code, text, points_lost, direction } of content.reason_codes) {
    yield { record_type: 'REASON', name: code, value: direction, points: points_lost, text };
  }
  for (const { currency, balance, limit } of history.totals) {
    yield { record_type: 'TOTAL', currency, balance, credit_limit: limit };
  }
  for (const { status, count } of history.accounts_by_status) {
    yield { record_type: 'ACCOUNTS_BY_STATUS', status, value: count };
  }
  for (const { currency, amount } of risk.disputed_balance) {
    yield { record_type: 'DISPUTED_BALANCE', currency, amount };
  }
  if (content.commercial !== undefined) {
    const { organisation, payment_quarters, exposure } = content.commercial;
    yield* section('ORGANISATION', organisation);
    for (const { quarter, payment_index, payment_count } of payment_quarters) {
      yield { record_type: 'PAYMENT_QUARTER', name: quarter, value: payment_index, payment_count };
    }
    for (const { institution_kind, granted, worst_bucket, ...figures } of exposure) {
      yield {
        record_type: 'EXPOSURE',
        name: institution_kind,
        credit_limit: granted,
        bucket: worst_bucket,
        ...figures,
      };
    }
  }
  for (const line of content.trade_lines ?? []) {
    yield { record_type: 'TRADE_LINE', account: line.ref, institution: line.furnisher, ...line };
  }
  for (const event of content.events ?? []) yield { record_type: 'EVENT', ...event };
  for (const { account, opened_at, resolved_at } of content.disputes ?? []) {
    yield { record_type: 'DISPUTE', account, occurred_at: opened_at, value: resolved_at };
  }
  for (const { institution, purpose, created_at } of content.inquiries ?? []) {
    yield { record_type: 'INQUIRY', institution, purpose, occurred_at: created_at };
  }
  for (const { calculated_at, score, grade, trigger_type } of content.score_history) {
    yield { record_type: 'SCORE', occurred_at: calculated_at, score, grade, name: trigger_type };
  }
  yield { record_type: 'NOTICE', text: content.notice };
}

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'bigint') return amountText(cell);
  if (typeof cell !== 'string') return String(cell);
  return isGrid(cell) ? csvPlain(cell) : csvText(cell);
}

/** A payment grid may begin with a dash, and holds nothing that could be a formula. */
function isGrid(text: string): boolean {
  return text.length === 24 && /^[-0-5DW]+$/.test(text);
}
