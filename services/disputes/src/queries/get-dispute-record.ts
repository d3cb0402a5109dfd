import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import { uuidFrom } from '@credit/platform/requests';
import { inquiriesOf } from '../domain/place';
import { stepsOf } from '../domain/steps';
import type { ContestedInquiries, ReportingClient } from '../reporting-client';
import { answersOf } from '../store/answers';
import {
  type AnsweredDispute,
  findAnsweredDispute,
  groupSizes,
  type ListedDispute,
  relatedDisputes,
} from '../store/disputes';
import { reviewsBegunAt } from '../store/moves';
import { institutionsOf } from '../store/places';
import { contestedRecord, type DisputeFile, type GetDispute } from './get-dispute';

const MAX_ANSWERS_SHOWN = 100;
const MAX_RELATED = 20;
/** More are not named one by one: the dispute then concerns all who report about the subject. */
const MAX_NAMED = 100;

const NO_INQUIRIES: ContestedInquiries = { inquiries: [], has_more: false };

/** A dispute as whoever decides it needs it. */
export interface DisputeRecord extends DisputeFile<AnsweredDispute> {
  readonly related: readonly ListedDispute[];
  readonly group_sizes: ReadonlyMap<string, number>;
  /** Of an unauthorised inquiry: those that it may be about. */
  readonly inquiries: ContestedInquiries;
}

/** What reading takes. */
export interface GetDisputeRecordDeps {
  readonly db: Database;
  readonly reporting: Pick<ReportingClient, 'contestedRecord' | 'contestedInquiries'>;
}

/** What is contested, for the network's desk: it must be written down who reads it. */
export async function getDisputeRecord(
  { db, reporting }: GetDisputeRecordDeps,
  ctx: CallContext,
  wanted: GetDispute,
): Promise<DisputeRecord> {
  const dispute_id = uuidFrom('dispute_id', wanted.dispute_id);
  const { concerned, ...found } = await read(db, ctx, dispute_id);
  // Nobody's: without names everybody's accounts of the subject would be shown.
  const is_nobodys = concerned.length === 0 && found.dispute.credit_event_id === undefined;
  const named = concerned.length > MAX_NAMED ? [] : concerned;
  const record = is_nobodys
    ? undefined
    : await contestedRecord(reporting, ctx, found.dispute, wanted, named);
  const is_of_inquiry = found.dispute.reason === 'UNAUTHORISED_INQUIRY';
  const of = is_of_inquiry ? inquiriesOf(found.dispute, concerned) : undefined;
  const network = { ...ctx, institution_id: '' };
  const inquiries =
    of === undefined ? NO_INQUIRIES : await reporting.contestedInquiries(network, of);
  return { ...found, record, inquiries };
}

function read(db: Database, ctx: CallContext, dispute_id: string) {
  return db.snapshot(ctx, async (on) => {
    const dispute = await findAnsweredDispute(on, dispute_id);
    if (dispute === undefined) throw notFound('There is no such dispute.');
    const answers = await answersOf(on, dispute_id, undefined, MAX_ANSWERS_SHOWN);
    const reviews = await reviewsBegunAt(on, dispute_id);
    const related = await relatedDisputes(on, dispute, MAX_RELATED);
    const group_ids = [dispute, ...related].map(({ group_id }) => group_id);
    return {
      dispute,
      answers,
      steps: stepsOf(dispute, answers, reviews),
      related,
      group_sizes: await groupSizes(on, group_ids),
      concerned: (await institutionsOf(on, [dispute_id])).get(dispute_id) ?? [],
    };
  });
}
