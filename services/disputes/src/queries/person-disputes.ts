import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import {
  idFromCursor,
  type Page,
  type PageRequest,
  personOf,
  readPage,
  uuidFrom,
} from '@credit/platform/requests';
import { type DisputeStep, stepsOf } from '../domain/steps';
import type { ReportingClient } from '../reporting-client';
import { answersOf } from '../store/answers';
import type { ListedDispute, LocatedDispute } from '../store/disputes';
import { reviewsBegunAt } from '../store/moves';
import { disputesOfPerson, findDisputeOfPerson } from '../store/persons';
import { institutionsOf } from '../store/places';

const MAX_ANSWERS_SHOWN = 100;

/** What the caller has opened about its own file, newest first. */
export function listPersonDisputes(
  db: Database,
  ctx: CallContext,
  wanted: PageRequest,
): Promise<Page<ListedDispute>> {
  const subject_id = personOf(ctx);
  const before_id = idFromCursor(wanted.cursor);
  return readPage(
    wanted,
    (limit) => disputesOfPerson(db.read(ctx), subject_id, before_id, limit),
    ({ id }) => [id],
  );
}

/** A field of the record that the outcome has changed. */
export interface ChangedField {
  readonly field: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Who was told what, and when. */
export interface Told {
  readonly institution_id: string;
  readonly telling: 'OPENED' | 'OUTCOME';
  readonly at: string;
}

/** A person's dispute, with what has come of it. */
export interface PersonDispute {
  readonly dispute: LocatedDispute;
  readonly steps: readonly DisputeStep[];
  readonly changes: readonly ChangedField[];
  readonly told: readonly Told[];
}

/** What reading one takes. */
export interface PersonDisputeDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'explain'>;
}

/** One of the caller's disputes; anybody else's is as unknown as none. */
export async function getPersonDispute(
  { db, reporting }: PersonDisputeDeps,
  ctx: CallContext,
  { dispute_id: named_id }: { readonly dispute_id: string },
): Promise<PersonDispute> {
  const subject_id = personOf(ctx);
  const dispute_id = uuidFrom('dispute_id', named_id);
  const { concerned, ...found } = await db.snapshot(ctx, async (on) => {
    const dispute = await findDisputeOfPerson(on, subject_id, dispute_id);
    if (dispute === undefined) throw notFound('You have opened no such dispute.');
    const answers = await answersOf(on, dispute_id, undefined, MAX_ANSWERS_SHOWN);
    const reviews = await reviewsBegunAt(on, dispute_id);
    const concerned = (await institutionsOf(on, [dispute_id])).get(dispute_id) ?? [];
    return { dispute, concerned, steps: stepsOf(dispute, answers, reviews) };
  });
  return {
    ...found,
    changes: await changesOf(reporting, ctx, found.dispute),
    told: toldOf(found.dispute, concerned),
  };
}

async function changesOf(
  reporting: PersonDisputeDeps['reporting'],
  ctx: CallContext,
  { correction_event_id, credit_event_id, voided_inquiry_ids }: LocatedDispute,
): Promise<ChangedField[]> {
  const looks = voided_inquiry_ids.map(() => ({
    field: 'inquiry',
    before: 'COUNTS',
    after: 'VOIDED',
  }));
  if (correction_event_id === undefined || credit_event_id === undefined) return looks;
  const changes = await reporting.explain(ctx, { credit_event_id, correction_event_id });
  return [...looks, ...changes];
}

function toldOf({ located_at, resolved_at }: LocatedDispute, concerned: readonly string[]): Told[] {
  const tellings: readonly (readonly [Told['telling'], string | undefined])[] = [
    ['OPENED', located_at],
    ['OUTCOME', resolved_at],
  ];
  return tellings.flatMap(([telling, at]) =>
    at === undefined ? [] : concerned.map((institution_id) => ({ institution_id, telling, at })),
  );
}
