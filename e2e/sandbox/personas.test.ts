import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  draftPersona,
  FURNISHERS,
  MAX_PERSONA_ACCOUNTS,
  MAX_PERSONA_EVENTS,
  MAX_PERSONA_INQUIRIES,
  PERSONA_NAMES,
} from '@credit/reporting/domain/personas';
import { cellsOf, figuresOf, guideRows, HEADER } from '../support/personas';

const DAY_MS = 86_400_000;
/** Every day of a year with 29 February, at an odd time of the day. */
const DAYS = Array.from({ length: 366 }, (_, day) => Date.UTC(2028, 0, 1, 7, 31) + day * DAY_MS);

function rowOf(name: (typeof PERSONA_NAMES)[number]): string[] {
  const seen = DAYS.map((now_ms) => figuresOf(name, {}, now_ms));
  const days = seen.map(({ days_past_due }) => days_past_due);
  const range = { least: Math.min(...days), most: Math.max(...days) };
  const rows = new Set(seen.map(({ figures }) => JSON.stringify(cellsOf(name, figures, range))));
  expect([...rows]).toHaveLength(1);
  return JSON.parse([...rows][0] ?? '[]');
}

/** As the formatter has tables: every column as wide as its widest cell. */
function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADER.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}

test('the guide says what each persona’s profile holds, whatever the day', () => {
  const rows = PERSONA_NAMES.map(rowOf);
  if (process.env.UPDATE_GOLDEN === '1') {
    const path = join(__dirname, '../../docs/guides/sandbox.md');
    const lines = readFileSync(path, 'utf8').split('\n');
    const first = lines.findIndex((text) => text.startsWith(`| ${HEADER[0]} `));
    const after = lines.findIndex((text, index) => index > first && !text.startsWith('|'));
    writeFileSync(
      path,
      [...lines.slice(0, first), ...tableOf([HEADER, ...rows]), ...lines.slice(after)].join('\n'),
    );
  }
  expect([...guideRows().values()]).toEqual(rows);
});

test.each([1, 29, 30, 60, 90, 180])(
  'a delinquency %i days past due is so far behind',
  (days_past_due) => {
    for (const now_ms of DAYS.slice(0, 62)) {
      expect(figuresOf('RECENT_DELINQUENCY', { days_past_due }, now_ms).days_past_due).toBe(
        days_past_due,
      );
    }
  },
);

test('an adverse entry weighs less the older it is, and nothing at seven years', () => {
  const scores = [800, 1_100, 1_460, 2_000, 2_555].map(
    (entry_age_days) => figuresOf('CURED_DEFAULT', { entry_age_days }, DAYS[0] ?? 0).figures.score,
  );
  expect(scores).toEqual([...scores].sort((a, b) => Number(a) - Number(b)));
  expect(new Set(scores).size).toBe(scores.length);
});

test('what ends tomorrow has ended then, and not before', () => {
  for (const now_ms of DAYS.slice(0, 62)) {
    const on = (name: (typeof PERSONA_NAMES)[number], on_ms = now_ms) =>
      figuresOf(name, {}, now_ms, on_ms).figures.score;
    const tomorrow_ms = now_ms + DAY_MS;
    expect(on('ENTRY_EXPIRES_TOMORROW')).toBe(549);
    expect(on('ENTRY_EXPIRES_TOMORROW', tomorrow_ms)).toBeGreaterThan(800);
    expect(on('DISPUTE_FLAG_ENDS_TOMORROW')).toBeGreaterThan(800);
    expect(on('DISPUTE_FLAG_ENDS_TOMORROW', tomorrow_ms)).toBe(669);
  }
});

test('no persona is large, and its numbers are its own', () => {
  for (const name of PERSONA_NAMES) {
    const making = { institution_id: 'x', now_ms: DAYS[0] ?? 0, game_uuid: 'y', tag: 'tag' };
    const { accounts, inquiries } = draftPersona(name, {}, making);
    expect(accounts.length).toBeLessThanOrEqual(MAX_PERSONA_ACCOUNTS);
    expect(inquiries.length).toBeLessThanOrEqual(MAX_PERSONA_INQUIRIES);
    const events = accounts.flatMap((account) => account.events);
    expect(events.length).toBeLessThanOrEqual(MAX_PERSONA_EVENTS);
    const numbers = accounts.map(({ account }) => account.external_account_id);
    expect(new Set(numbers).size).toBe(numbers.length);
  }
});

test('furnishers of personas have ids that no clock gives', () => {
  for (const id of Object.values(FURNISHERS))
    expect(id).toMatch(/^00000000-0000-7000-8000-0{10}a\d$/);
});
