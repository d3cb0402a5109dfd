// An outcome lasts, whatever the furnisher sends afterwards: disputes and the record together.

import type { Event } from '@credit/proto/events/v1/events';
import { EventType } from '@credit/proto/reporting/v1/types';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  onDay,
  payment,
  refusal,
} from '../../reporting/test/harness';
import { administrator, type Contested, lender, move, open, Record } from './support/contested';
import { type Disputes, type DisputesProcess, startWorld, type World } from './support/world';

jest.setTimeout(20_000);

let world: World;
let service: DisputesProcess;
let disputes: Disputes;
let record: Record;

beforeAll(async () => {
  world = await startWorld();
  service = await world.start();
  ({ disputes } = service);
  record = new Record(world);
}, 30_000);
afterAll(() => world.stop());

const CONFLICT = { code: 'INVALID_STATE_TRANSITION' };
const CERTIFICATION = 'The deed of the court of 3 March was read, and the signature compared.';

const report = (fields: Parameters<typeof payment>[2], { account }: Contested) =>
  world.reporting.reporting.reportEvent(keyed(lender), {
    event: payment(account, 60, { amount_minor: undefined, ...fields }),
  });
const accountNow = async ({ account }: Pick<Contested, 'account'>, ctx = lender) =>
  (await world.reporting.reporting.getAccount(ctx, { account_id: account.id })).account;
const shownAtTheDesk = async (id: string) => {
  const { disputes: all } = await disputes.listDisputes(administrator, { limit: 100 });
  return all.find((one) => one.id === id);
};

/** Hands on what reporting has told of reinsertions, as the bus would. */
async function handOnReinsertions(dispute_id: string): Promise<Event[]> {
  const told = (await world.reporting.outbox()).filter(
    ({ payload }) =>
      payload?.$case === 'fact_reinserted' && payload.value.dispute_id === dispute_id,
  );
  await service.take(...told);
  return told;
}

describe('somebody else’s account', () => {
  test.each(['NOT_MY_ACCOUNT', 'DUPLICATE_ACCOUNT'] as const)(
    'is taken off the file for good when its opening is disputed as %s',
    async (reason) => {
      const contested = await record.contested();
      const { account } = contested;
      const [opening] = await record.events(account);
      const { id } = await open(disputes, {
        credit_event_id: opening?.id,
        reason: reason,
      });
      await move(disputes, id, 'UNDER_REVIEW');
      const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
      expect(corrected).toMatchObject({ correction_pending: false });
      expect(corrected.correction_event_id).toBeDefined();
      expect(await accountNow(contested)).toMatchObject({
        voided: true,
        status: 'CANCELLED',
        current_balance_minor: 0n,
      });
      // Neither the network's word nor the account comes back by the furnisher's own.
      expect(
        await refusal(
          report(
            {
              event_type: EventType.CORRECTION,
              supersedes_event_id: corrected.correction_event_id,
              correction_reason: 'It is his.',
            },
            contested,
          ),
        ),
      ).toMatchObject(CONFLICT);
      const again = {
        ...accountOf(account.subject_id, { external_account_id: `again ${reason}` }),
        account_type: account.account_type,
        original_principal_minor: account.original_principal_minor,
        opened_at: account.opened_at,
      };
      expect(
        await refusal(world.reporting.reporting.createAccount(keyed(lender), { account: again })),
      ).toMatchObject(CONFLICT);
      const certified = { ...again, certification: CERTIFICATION };
      await world.reporting.reporting.createAccount(keyed(lender), { account: certified });
      expect(await handOnReinsertions(id)).toHaveLength(1);
      expect((await shownAtTheDesk(id))?.reinsertion).toMatchObject({
        certification: CERTIFICATION,
      });
    },
  );

  test('is taken off by its number when the dispute names no event', async () => {
    const { reporting } = world.reporting;
    const mine = await newAccount(reporting, lender);
    const { subject_id } = mine;
    const foreign = [
      await newAccount(reporting, lender, { subject_id, original_principal_minor: 1n }),
      await newAccount(reporting, lender, { subject_id, original_principal_minor: 2n }),
    ];
    const elsewhere = institution();
    const not_covered = await newAccount(reporting, elsewhere, { subject_id });
    const { id } = await open(disputes, {
      subject_id,
      reported_institution_id: lender.institution_id,
      reason: 'NOT_MY_ACCOUNT',
    });
    await move(disputes, id, 'UNDER_REVIEW');
    const wrong = { account_ids: [not_covered.id] };
    expect(await refusal(move(disputes, id, 'RESOLVED_CORRECTED', wrong))).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['account_ids[0]'],
    });
    const account_ids = foreign.map((account) => account.id);
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED', { account_ids });
    expect(corrected).toMatchObject({ correction_pending: false });
    for (const account of foreign) {
      expect(await accountNow({ account })).toMatchObject({ voided: true });
    }
    expect(await accountNow({ account: mine })).toMatchObject({ status: 'CURRENT' });
    expect((await accountNow({ account: mine }))?.voided ?? false).toBe(false);
  });
});

test('an account that is off the file can be disputed, reviewed and decided about all the same', async () => {
  const contested = await record.contested();
  const [opening] = await record.events(contested.account);
  const first = await open(disputes, {
    credit_event_id: opening?.id,
    reason: 'NOT_MY_ACCOUNT',
  });
  const second = await open(disputes, { credit_event_id: contested.event.id });
  await move(disputes, first.id, 'RESOLVED_CORRECTED');
  await move(disputes, second.id, 'UNDER_REVIEW');
  expect(await accountNow(contested)).toMatchObject({ voided: true });
  await move(disputes, second.id, 'REJECTED');
  expect(await accountNow(contested)).toMatchObject({ voided: true });
});

describe('a default that never was', () => {
  async function removed(): Promise<{ contested: Contested; id: string; correction: string }> {
    const account = await newAccount(world.reporting.reporting, lender);
    const contested = { account } as Contested;
    const { event } = await report({ event_type: EventType.DEFAULT_REPORTED }, contested);
    if (event === undefined) throw new Error('No event came back.');
    const { id } = await open(disputes, {
      credit_event_id: event.id,
      reason: 'INCORRECT_STATUS',
    });
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(await record.statusOf(account)).toBe('CURRENT');
    return {
      contested: { account, event },
      id,
      correction: corrected.correction_event_id ?? '',
    };
  }

  test('does not come back by a correction of the correction, nor in other words', async () => {
    const { contested, correction } = await removed();
    const attempts = [
      report(
        {
          event_type: EventType.CORRECTION,
          supersedes_event_id: correction,
          correction_reason: 'It was one.',
        },
        contested,
      ),
      report({ event_type: EventType.DEFAULT_REPORTED }, contested),
      report({ event_type: EventType.DEFAULT_REPORTED, occurred_at: onDay(61) }, contested),
    ];
    for (const attempt of attempts) expect(await refusal(attempt)).toMatchObject(CONFLICT);
    expect(await record.statusOf(contested.account)).toBe('CURRENT');
  });

  test('comes back certified, and the opener and the desk are told', async () => {
    const { contested, id } = await removed();
    const certified = { event_type: EventType.DEFAULT_REPORTED, certification: CERTIFICATION };
    const { event } = await report(certified, contested);
    expect(await record.statusOf(contested.account)).toBe('DEFAULTED');
    const [told] = await handOnReinsertions(id);
    expect(told?.payload?.value).toMatchObject({ institution_id: lender.institution_id });
    expect(await shownAtTheDesk(id)).toMatchObject({
      status: 'RESOLVED_CORRECTED',
      reinsertion: { credit_event_id: event?.id, certification: CERTIFICATION },
    });
  });

  test('is gone though the furnisher made it worse while it was disputed', async () => {
    const account = await newAccount(world.reporting.reporting, lender);
    const contested = { account } as Contested;
    const { event } = await report({ event_type: EventType.DEFAULT_REPORTED }, contested);
    const { id } = await open(disputes, {
      credit_event_id: event?.id,
      reason: 'INCORRECT_STATUS',
    });
    await report(
      {
        event_type: EventType.CORRECTION,
        supersedes_event_id: event?.id,
        correction_reason: 'It was worse.',
        corrected_event_type: EventType.DEFAULT_REPORTED,
        default_severity: 'CRITICAL',
      },
      contested,
    );
    const corrected = await move(disputes, id, 'RESOLVED_CORRECTED');
    expect(corrected).toMatchObject({ correction_pending: false });
    expect(await record.statusOf(account)).toBe('CURRENT');
  });
});
