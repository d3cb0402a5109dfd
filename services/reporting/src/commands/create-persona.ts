import type { CallContext } from '@credit/platform/context';
import type { Transaction } from '@credit/platform/db';
import { invalid, rateLimited } from '@credit/platform/errors';
import { institutionOf, requireTest } from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { lowestIdAt } from '@credit/platform/values';
import { DAY_MS, dayOf } from '../domain/calendar';
import {
  checkOptions,
  draftPersona,
  type PersonaDrafts,
  type PersonaName,
  type PersonaOptions,
} from '../domain/personas';
import type { Subject } from '../domain/subject';
import { takePersona } from '../store/sandboxes';
import type { CommandDeps } from './batch';
import { createAccounts } from './create-accounts';
import { createSubject } from './create-subject';
import { recordEvents } from './record-events';
import { recordInquiries } from './record-inquiries';
import { accepted, unlogged } from './sandbox';

/** Enough for a test suite that runs on every change; a persona is a few hundred rows. */
export const PERSONAS_A_DAY = 500;

/** Which persona. */
export interface PersonaRequest extends PersonaOptions {
  readonly persona?: PersonaName | undefined;
}

/** The persona, and how much is on its file. */
export interface MadePersona {
  readonly persona: PersonaName;
  readonly subject: Subject;
  readonly account_count: number;
  readonly event_count: number;
  readonly inquiry_count: number;
  readonly own_account_ids: readonly string[];
}

/**
 * Makes a persona by the very commands that lenders report with, each record in the name of the
 * furnisher whose it is. Looks of others come first, so that who has an application before it hears of
 * what is reported then.
 */
export async function createPersona(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  { persona, ...options }: PersonaRequest,
): Promise<MadePersona> {
  requireTest(ctx);
  const institution_id = institutionOf(ctx);
  if (persona === undefined) throw invalid('persona', 'is required');
  const details = checkOptions(persona, options);
  if (details.length > 0) throw invalid(details);
  const now_ms = deps.clock.now_ms();
  if (!(await takePersona(tx, institution_id, now_ms, PERSONAS_A_DAY))) {
    const left_s = Math.ceil(((dayOf(now_ms) + 1) * DAY_MS - now_ms) / 1_000);
    throw rateLimited(
      `The ${PERSONAS_A_DAY} personas of the day are made; there are more at 00:00 UTC.`,
      left_s,
      'PERSONAS_OF_THE_DAY',
    );
  }
  const drafts = draftPersona(persona, options, {
    institution_id,
    now_ms,
    game_uuid: deps.newId(),
    tag: deps.newId().slice(-12),
  });
  const quiet = unlogged(tx);
  const subject = await createSubject(quiet, deps, ctx, drafts.subject);
  await lookAt(quiet, deps, ctx, subject, drafts);
  const { own_account_ids, event_count } = await report(quiet, deps, ctx, subject, drafts);
  const { length: account_count } = drafts.accounts;
  tx.audit(
    {
      at: toTimestamp(now_ms),
      action: 'persona.created',
      target_type: 'subject',
      target_id: subject.id,
      changes: {
        persona,
        ...options,
        accounts: account_count,
        events: event_count,
        own_account_ids,
      },
    },
    ctx,
  );
  return {
    persona,
    subject,
    account_count,
    event_count,
    inquiry_count: drafts.inquiries.length,
    own_account_ids,
  };
}

/** The inquiries, each at its own time in the past. */
async function lookAt(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject: Subject,
  { inquiries }: PersonaDrafts,
): Promise<void> {
  for (const { at_ms, institution_id, purpose } of inquiries) {
    const then = { ...deps, clock: { now_ms: () => at_ms } };
    const item = { inquiry_id: idOf(at_ms, deps.newId()), subject_id: subject.id, purpose };
    const call = { ctx: { ...ctx, institution_id }, item };
    (await recordInquiries(tx, then, [call])).map(accepted);
  }
}

/** An inquiry's id tells when it was made. */
function idOf(at_ms: number, fresh_id: string): string {
  const { length } = '00000000-0000-';
  return lowestIdAt(at_ms).slice(0, length) + fresh_id.slice(length);
}

/** The accounts, and what happened to them. */
async function report(
  tx: Transaction,
  deps: CommandDeps,
  ctx: CallContext,
  subject: Subject,
  drafts: PersonaDrafts,
): Promise<Pick<MadePersona, 'own_account_ids' | 'event_count'>> {
  const outcomes = await createAccounts(
    tx,
    deps,
    drafts.accounts.map(({ institution_id, account }) => ({
      ctx: { ...ctx, institution_id },
      items: [{ ...account, subject_id: subject.id }],
    })),
  );
  const accounts = outcomes.flatMap(accepted);
  const histories = drafts.accounts.map(({ institution_id, events }, index) => ({
    ctx: { ...ctx, institution_id },
    list: 'events',
    items: events.map((draft) => ({ account_id: accounts[index]?.facts.id ?? '', draft })),
  }));
  const recorded = await recordEvents(
    tx,
    deps,
    histories.filter(({ items }) => items.length > 0),
  );
  return {
    own_account_ids: accounts
      .filter(({ facts }) => facts.institution_id === ctx.institution_id)
      .map(({ facts }) => facts.id),
    event_count: accounts.length + recorded.flatMap(accepted).length,
  };
}
