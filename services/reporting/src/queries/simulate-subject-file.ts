import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { institutionOf, uuidFrom } from '@credit/platform/requests';
import { monthsBefore } from '../domain/calendar';
import { type HypotheticalEvent, imagine } from '../domain/hypothesis';
import { INQUIRY_MONTHS_SHOWN } from '../domain/inquiry';
import type { Account } from '../domain/ledger';
import { standingSubject } from '../domain/standing-subject';
import { historiesOf } from '../store/events';
import { type SubjectFile, subjectFile } from '../store/subject-file';

export interface SimulatedFile {
  readonly file: SubjectFile;
  /** Accounts that would be changed or opened. */
  readonly changed: readonly Account[];
}

/** A subject's file, and its accounts as they would stand after imagined events. */
export async function simulateSubjectFile(
  db: Database,
  ctx: CallContext,
  wanted: {
    subject_id: string;
    events: readonly HypotheticalEvent[];
    now_ms: number;
    newId: () => string;
  },
): Promise<SimulatedFile> {
  const { events, now_ms, newId } = wanted;
  const subject_id = uuidFrom('subject_id', wanted.subject_id);
  const institution_id = institutionOf(ctx);
  return db.snapshot(ctx, async (on) => {
    const since_ms = monthsBefore(now_ms, INQUIRY_MONTHS_SHOWN);
    const file = standingSubject(await subjectFile(on, subject_id, since_ms));
    const own = file.accounts.filter(({ facts }) => facts.institution_id === institution_id);
    const named = new Set(events.map(({ account_id }) => account_id?.toLowerCase()));
    const keys = own
      .filter(({ facts }) => named.has(facts.id))
      .map(({ facts }) => ({ subject_id, account_id: facts.id }));
    const changed = imagine(
      {
        subject_id,
        subject_type: file.subject_type,
        institution_id,
        accounts: new Map(own.map((account) => [account.facts.id, account])),
        histories: keys.length === 0 ? new Map() : await historiesOf(on, keys),
        now_ms,
        newId,
      },
      events,
    );
    return { file, changed };
  });
}
