import type { NoticeContent } from '../domain/notice';
import type { ReportContent } from '../domain/report-content';

/** Minor units as a number with two decimals at most, without binary fractions on the way. */
export function amountText(minor: bigint): string {
  const sign = minor < 0n ? '-' : '';
  const digits = String(minor < 0n ? -minor : minor).padStart(3, '0');
  const cents = digits.slice(-2);
  const whole = `${sign}${digits.slice(0, -2)}`;
  if (cents === '00') return whole;
  return `${whole}.${cents.endsWith('0') ? cents[0] : cents}`;
}

/**
 * The content as JSON text; a bigint is an amount. A section that the report lacks is left out; a
 * value within one that is absent is null.
 */
export function contentJson(content: ReportContent | NoticeContent): string {
  return objectText(Object.entries(content).filter(([, section]) => section !== undefined));
}

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return amountText(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (value === undefined) return 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return objectText(Object.entries(value));
}

function objectText(entries: readonly [string, unknown][]): string {
  const members = entries.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`);
  return `{${members.join(',')}}`;
}
