import { csvLine, csvText } from '@credit/platform/values';
import type { Fault, Row } from './row';

/** Columns that a file of faults has before the row's own. */
export const FAULT_COLUMNS = ['fault_line', 'fault_code', 'fault_field', 'fault_message'] as const;

/** Of a row that a file of faults shows. */
export type FaultyRow = Pick<Row, 'line' | 'cells' | 'fields'>;

/** The first line of a CSV file of faults. */
export function faultHeader(names: readonly string[]): string {
  return csvLine([...FAULT_COLUMNS, ...names].map(csvText));
}

/** A faulty row as a line of CSV, under {@link faultHeader}: corrected, it can be sent again. */
export function faultLine(
  { line, cells = {} }: FaultyRow,
  faults: readonly Omit<Fault, 'line'>[],
  names: readonly string[],
): string {
  const told = [
    String(line),
    faults[0]?.code ?? '',
    faults.map(({ field }) => field).join('; '),
    faults.map(({ message }) => message).join('; '),
  ];
  const own = names.map((name) => (Object.hasOwn(cells, name) ? (cells[name] ?? '') : ''));
  return csvLine([...told, ...own].map(csvText));
}

/** A faulty row as a line of NDJSON: corrected, it can be sent again. */
export function faultJson(
  { line, fields }: FaultyRow,
  faults: readonly Omit<Fault, 'line'>[],
): string {
  const told = faults.map(({ code, field, message }) => ({ code, field, message }));
  return `${JSON.stringify({ fault: { line, faults: told }, ...fields })}\n`;
}
