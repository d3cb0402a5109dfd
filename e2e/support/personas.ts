// What the profile of a persona holds, as a row of the guide's table: by the rules alone, on any day.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@credit/platform/runtime';
import { checkEvent, type NewEvent } from '@credit/reporting/domain/event';
import { inquiryTypeFor } from '@credit/reporting/domain/inquiry';
import { openLedger, withTimeline } from '@credit/reporting/domain/ledger';
import { checkAccount, type NewAccount } from '@credit/reporting/domain/new-account';
import { draftPersona, type PersonaName } from '@credit/reporting/domain/personas';
import { append, type Timeline } from '@credit/reporting/domain/timeline';
import { fileMessage } from '@credit/reporting/messages';
import { CURRENT_MODEL, dayOfInstant, modelInput } from '@credit/scoring/domain/model/index';
import { fileFacts } from '@credit/scoring/facts-from-proto';

const GUIDE = join(__dirname, '../../docs/guides/sandbox.md');

/** What the table says of a persona's profile. */
export interface PersonaFigures {
  readonly score: number | null;
  readonly band: string;
  readonly risk: string;
  readonly caps: readonly string[];
  readonly reasons: readonly string[];
  /** By status. */
  readonly accounts: readonly { readonly status: string; readonly count: number }[];
  readonly on_time: number;
  readonly late: number;
  readonly hard_inquiries: number;
  /** In whole units of the currency. */
  readonly totals: readonly {
    readonly currency: string;
    readonly balance: number;
    readonly limit: number;
  }[];
}

export const HEADER = [
  'Persona',
  'Score',
  'Band, risk',
  'Caps',
  'Reasons',
  'Accounts',
  'Days past due',
  'On time / late',
  'Hard inquiries',
  'Balances',
] as const;

/** The least and the most of a number that depends on the day of the month. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** A row's cells; days past due are a range where they depend on the day of the month. */
export function cellsOf(name: string, figures: PersonaFigures, days: Range): string[] {
  const codes = (list: readonly string[]) => list.map((code) => `\`${code}\``).join(' ');
  const days_text = days.least === days.most ? `${days.least}` : `${days.least} to ${days.most}`;
  return [
    `\`${name}\``,
    figures.score === null ? 'none' : `${figures.score}`,
    `${figures.band}, ${figures.risk}`,
    codes(figures.caps),
    codes(figures.reasons),
    figures.accounts.map(({ status, count }) => `${count} ${status}`).join(', '),
    days_text,
    `${figures.on_time} / ${figures.late}`,
    `${figures.hard_inquiries}`,
    figures.totals
      .map(({ currency, balance, limit }) =>
        limit === 0 ? `${currency} ${balance}` : `${currency} ${balance}, limit ${limit}`,
      )
      .join('; '),
  ];
}

/** The guide's table: its rows by the persona's name, as they stand there. */
export function guideRows(): Map<string, string[]> {
  const rows = readFileSync(GUIDE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter((cells) => cells.length === HEADER.length);
  return new Map(rows.map((cells) => [(cells[0] ?? '').replaceAll('`', ''), cells]));
}

/** What a persona that is made at a moment shows then or later, and how many days it is behind. */
export function figuresOf(
  name: PersonaName,
  options: Parameters<typeof draftPersona>[1],
  now_ms: number,
  on_ms: number = now_ms,
): { figures: PersonaFigures; days_past_due: number } {
  const drafts = draftPersona(name, options, {
    institution_id: '00000000-0000-4000-8000-000000000001',
    now_ms,
    game_uuid: newId(),
    tag: 'tag',
  });
  const subject_id = newId();
  const subject_type = drafts.subject.type ?? 'INDIVIDUAL';
  const accounts = drafts.accounts.map(({ institution_id, account, events }) => {
    const draft = sound<NewAccount>(checkAccount({ ...account, subject_id }, now_ms));
    const owner = { account_id: newId(), institution_id, subject_type };
    const opened = openLedger(draft, owner, { id: newId(), now_ms }).account;
    const { state, version } = opened;
    let timeline: Timeline = { state, version, history: undefined };
    for (const event of inOrder(events.map((one) => sound<NewEvent>(checkEvent(one, now_ms))))) {
      timeline = append(timeline, event, { id: newId(), now_ms }).timeline;
    }
    return withTimeline(opened, timeline);
  });
  const inquiries = drafts.inquiries.map(({ institution_id, purpose, at_ms }, index) => ({
    id: newId(),
    subject_id,
    institution_id,
    purpose,
    inquiry_type: inquiryTypeFor(purpose, undefined),
    subject_version: index + 1,
    created_at_ms: at_ms,
  }));
  const file = fileFacts(fileMessage({ subject_id, subject_type, accounts, inquiries }));
  const { score, risk, history } = CURRENT_MODEL.profile(modelInput(file, dayOfInstant(on_ms)));
  return {
    days_past_due: risk.max_days_past_due,
    figures: {
      score: score.score ?? null,
      band: score.band,
      risk: risk.level,
      caps: risk.caps_applied,
      reasons: score.reasons.map(({ code }) => code),
      accounts: history.accounts_by_status,
      on_time: history.on_time_24m,
      late: history.late_24m,
      hard_inquiries: history.hard_inquiries_12m,
      totals: history.totals.map(({ currency, balance_minor, limit_minor }) => ({
        currency,
        balance: Number(balance_minor) / 100,
        limit: Number(limit_minor) / 100,
      })),
    },
  };
}

function inOrder(events: readonly NewEvent[]): NewEvent[] {
  return [...events].sort((a, b) => a.occurred_at_ms - b.occurred_at_ms);
}

function sound<Value extends object>(checked: Value | readonly unknown[]): Value {
  if (Array.isArray(checked)) throw new Error(`A persona is wrong: ${JSON.stringify(checked)}`);
  return checked as Value;
}
