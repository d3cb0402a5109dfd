// What people contest of their own files, and what is left out of them for it.

import { type CallContext, systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { NIL_UUID } from '@credit/platform/values';
import type { Dispute, OpenPersonDisputeRequest } from '@credit/proto/disputes/v1/disputes';
import type { AccountProjection } from '@credit/proto/reporting/v1/types';
import * as fc from 'fast-check';
import { verifyRecordCommand } from '../../reporting/src/operator/verify-record-command';
import {
  accountOf,
  institution,
  keyed,
  payment,
  personOf,
  refusal,
} from '../../reporting/test/harness';
import { administrator, type Contested, lender, move, open, Record } from './support/contested';
import { type DisputesProcess, startWorld, type World } from './support/world';

jest.setTimeout(60_000);

const DAY_MS = 86_400_000;
const SAID = 'It was not me; the police report is of 3 March.';

let world: World;
let service: DisputesProcess;
let suppressing: DisputesProcess;
let record: Record;

beforeAll(async () => {
  world = await startWorld();
  service = await world.start();
  suppressing = await world.start({ overdue: 'SUPPRESS' });
  record = new Record(world);
}, 60_000);
afterAll(() => world.stop());

const ofPerson = ({ account }: Pick<Contested, 'account'>) => personOf(account.subject_id);

async function contest(
  ctx: CallContext,
  named: OpenPersonDisputeRequest['record'],
  fields: Partial<OpenPersonDisputeRequest> = {},
  by = service,
): Promise<Dispute> {
  const { dispute } = await by.disputes.openPersonDispute(keyed(ctx), {
    record: named,
    reason: 'PAYMENT_REPORTED_LATE',
    description: SAID,
    evidence_links: [],
    ...fields,
  });
  if (dispute === undefined) throw new Error('No dispute came back.');
  return dispute;
}

const eventOf = ({ event }: Contested) => ({ $case: 'credit_event_id' as const, value: event.id });
const accountNamed = ({ account }: Pick<Contested, 'account'>) => ({
  $case: 'account_id' as const,
  value: account.id,
});

/** The account as everybody else's score is made of it. */
async function forOthers({ account }: Contested): Promise<AccountProjection> {
  const { reporting } = world.reporting;
  const { accounts } = await reporting.getSubjectFile(systemContext('live'), {
    subject_id: account.subject_id,
  });
  const facts = accounts.find(({ account_id }) => account_id === account.id);
  if (facts === undefined) throw new Error('The account is not on the file.');
  return facts;
}

async function effectFor(ctx: CallContext, { account, event }: Contested) {
  const { reporting } = world.reporting;
  const { events } =
    ctx.actor.type === 'person'
      ? await reporting.listPersonEvents(ctx, { account_id: account.id, limit: 100 })
      : await reporting.listAccountEvents(ctx, { account_id: account.id, limit: 100 });
  return events.find(({ id }) => id === event.id)?.effect;
}

describe('a person at its own file', () => {
  test('contests an event: whoever reports it is told with the intake, and nothing is left out', async () => {
    const contested = await record.contested();
    const dispute = await contest(ofPerson(contested), eventOf(contested));
    expect(dispute).toMatchObject({
      status: 'OPEN',
      identity_known: true,
      subject_id: contested.account.subject_id,
      credit_event_id: contested.event.id,
    });
    expect(dispute.suppression).toBeUndefined();
    expect(await record.kindsTold(dispute.id)).toEqual(['dispute_opened', 'dispute.opened']);
    const [opened] = await record.told(dispute.id);
    expect(opened).toMatchObject({
      value: { institution_ids: [lender.institution_id], account_id: contested.account.id },
    });
    expect((await forOthers(contested)).underlying_status).toBe('PAST_DUE');
    const { disputes } = await service.disputes.listDisputes(lender, { limit: 100 });
    expect(disputes.map(({ id }) => id)).toContain(dispute.id);
  });

  test('sees what it has opened, and nobody else’s', async () => {
    const contested = await record.contested();
    const person = ofPerson(contested);
    await open(service.disputes, { credit_event_id: contested.event.id });
    const own = await contest(person, eventOf(contested));
    const { disputes } = await service.disputes.listPersonDisputes(person, { limit: 10 });
    expect(disputes.map(({ id }) => id)).toEqual([own.id]);
    const other = ofPerson(await record.contested());
    expect((await service.disputes.listPersonDisputes(other, { limit: 10 })).disputes).toEqual([]);
    const asked = service.disputes.getPersonDispute(other, { dispute_id: own.id });
    expect(await refusal(asked)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('sees what was opened under an id that was merged into its own, while it is', async () => {
    const contested = await record.contested();
    const { id } = await contest(ofPerson(contested), eventOf(contested));
    const [merged, between] = [contested.account.subject_id, newId()];
    const survivor = await record.contested();
    const heard = (
      kind: string,
      from: string,
      to: string,
      of: { moved_at: string; undoes_move_id?: string },
    ) =>
      service.take({
        id: newId(),
        environment: 'live',
        created_at: undefined,
        request_id: '',
        traceparent: '',
        payload: {
          $case: 'subject_records_moved',
          value: {
            move_id: newId(),
            kind,
            from_subject_id: from,
            to_subject_id: to,
            account_ids: [],
            dispute_ids: [],
            ...of,
          },
        },
      });
    const seen = async () => {
      const { disputes } = await service.disputes.listPersonDisputes(ofPerson(survivor), {
        limit: 10,
      });
      return disputes.map((dispute) => dispute.id);
    };
    await heard('MERGE', merged, between, { moved_at: '2026-03-01T00:00:00.000Z' });
    await heard('MERGE', between, survivor.account.subject_id, {
      moved_at: '2026-03-02T00:00:00.000Z',
    });
    expect(await seen()).toEqual([id]);
    await heard('SPLIT', between, merged, {
      moved_at: '2026-03-04T00:00:00.000Z',
      undoes_move_id: newId(),
    });
    expect(await seen()).toEqual([]);
    // What was said before comes later.
    await heard('MERGE', merged, between, { moved_at: '2026-03-03T00:00:00.000Z' });
    expect(await seen()).toEqual([]);
  });

  test.each(['credit_event_id', 'account_id', 'inquiry_id'] as const)(
    'is told of no %s of another file, nor of one that is on none',
    async ($case) => {
      const [mine, others] = [await record.contested(), await record.contested()];
      const { inquiry } = await world.reporting.reporting.recordInquiry(keyed(lender), {
        subject_id: others.account.subject_id,
        inquiry_id: newId(),
        purpose: 'NEW_CREDIT_APPLICATION',
      });
      const known = {
        credit_event_id: others.event.id,
        account_id: others.account.id,
        inquiry_id: inquiry?.id ?? '',
      }[$case];
      const reason = $case === 'inquiry_id' ? 'UNAUTHORISED_INQUIRY' : 'OTHER';
      const refusals = await Promise.all(
        [known, '0198a1c5-3f11-7b02-9e8d-7c6b5a4f3e21'].map((value) =>
          refusal(contest(ofPerson(mine), { $case, value }, { reason })),
        ),
      );
      expect(refusals[0]).toMatchObject({ code: 'NOT_FOUND' });
      expect(refusals[1]).toEqual(refusals[0]);
    },
  );

  test('contests a look, and reads that it counts no more', async () => {
    const contested = await record.contested();
    const person = ofPerson(contested);
    const stranger = institution();
    const { inquiry } = await world.reporting.reporting.recordInquiry(keyed(stranger), {
      subject_id: contested.account.subject_id,
      inquiry_id: newId(),
      purpose: 'NEW_CREDIT_APPLICATION',
    });
    const look = { $case: 'inquiry_id' as const, value: inquiry?.id ?? '' };
    expect(await refusal(contest(person, look, { reason: 'IDENTITY_THEFT' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const dispute = await contest(person, look, { reason: 'UNAUTHORISED_INQUIRY' });
    expect(dispute).toMatchObject({
      contested_inquiry_id: look.value,
      reported_institution_id: stranger.institution_id,
    });
    await move(service.disputes, dispute.id, 'RESOLVED_CORRECTED');
    const { changes, told } = await service.disputes.getPersonDispute(person, {
      dispute_id: dispute.id,
    });
    expect(changes).toEqual([{ field: 'inquiry', before: 'COUNTS', after: 'VOIDED' }]);
    expect(told.map(({ institution_id, telling }) => [institution_id, telling])).toEqual([
      [stranger.institution_id, 'OPENED'],
      [stranger.institution_id, 'OUTCOME'],
    ]);
  });

  test('reads what the outcome has changed, field by field, and who was told', async () => {
    const contested = await record.contested();
    const person = ofPerson(contested);
    const { id } = await contest(person, eventOf(contested));
    await service.disputes.answerDispute(keyed(lender), {
      dispute_id: id,
      verdict: 'VERIFIED',
      text: 'Our books say that it came late.',
      correction_event_ids: [],
    });
    await move(service.disputes, id, 'RESOLVED_CORRECTED', {
      correction: { corrected_event_type: 'PAYMENT_MADE', amount_minor: 14_348n },
    });
    const file = await service.disputes.getPersonDispute(person, { dispute_id: id });
    expect(file.changes).toEqual([
      { field: 'event_type', before: 'PAYMENT_LATE', after: 'PAYMENT_MADE' },
      { field: 'amount', before: undefined, after: '143.48' },
    ]);
    expect(file.steps.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['OPENED', undefined],
      ['ANSWERED', undefined],
      ['RESOLVED', undefined],
    ]);
    expect(file.told.map(({ telling }) => telling)).toEqual(['OPENED', 'OUTCOME']);
    expect(file.dispute).toMatchObject({
      status: 'RESOLVED_CORRECTED',
      resolution: 'The bank confirms the transfer.',
    });
  });

  test('has one dispute for one key, and 20 a day', async () => {
    const contested = await record.contested();
    const person = ofPerson(contested);
    const request: OpenPersonDisputeRequest = {
      record: eventOf(contested),
      reason: 'OTHER',
      description: SAID,
      evidence_links: [],
    };
    const ctx = keyed(person);
    const first = await service.disputes.openPersonDispute(ctx, request);
    expect(await service.disputes.openPersonDispute(ctx, request)).toEqual(first);
    for (let count = 1; count < 20; count += 1) await contest(person, eventOf(contested));
    expect(await refusal(contest(person, eventOf(contested)))).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      reason: 'DISPUTES_OF_THE_DAY',
    });
  });

  test('is the only one for whom this is', async () => {
    const contested = await record.contested();
    for (const ctx of [lender, administrator, systemContext('live')]) {
      expect(await refusal(contest(ctx, eventOf(contested)))).toMatchObject({
        code: 'INSUFFICIENT_SCOPE',
      });
    }
  });
});

describe('stolen identity', () => {
  const theft = { reason: 'IDENTITY_THEFT' as const };

  test('leaves the event out from the answer on, on every replica, and its owners see it marked', async () => {
    const contested = await record.contested();
    const replica = await world.reporting.replica();
    const dispute = await contest(ofPerson(contested), eventOf(contested), theft);
    expect(dispute).toMatchObject({ suppression: 'BLOCK', suppressed_since: dispute.opened_at });
    const days = (Date.parse(dispute.due_at ?? '') - Date.parse(dispute.opened_at ?? '')) / DAY_MS;
    expect([4, 5, 6]).toContain(days);
    const { accounts } = await replica.reporting.getSubjectFile(systemContext('live'), {
      subject_id: contested.account.subject_id,
    });
    expect(accounts[0]).toMatchObject({ underlying_status: 'CURRENT', episodes: [] });
    expect(await effectFor(lender, contested)).toBe('SUPPRESSED');
    expect(await effectFor(ofPerson(contested), contested)).toBe('SUPPRESSED');
    await replica.stop();
  });

  test('has nothing of what the person says about it told to others meanwhile, or of that time', async () => {
    const contested = await record.contested();
    const { subject_id } = contested.account;
    const { reporting } = world.reporting;
    await reporting.setStatement(ofPerson(contested), {
      record_id: contested.event.id,
      text: 'I was abroad.',
    });
    const said = async () => {
      const look = { subject_id, inquiry_id: newId(), purpose: 'COUNTERPARTY_CHECK' as const };
      const { statements } = await reporting.recordInquiry(keyed(lender), look);
      const now = new Date(world.clock.now_ms()).toISOString();
      const then = { subject_id, as_of: now, known_at: now };
      const past = await reporting.getSubjectFileAt(systemContext('live'), then);
      return [statements.length, past.statements.length];
    };
    expect(await said()).toEqual([1, 1]);
    const { id } = await contest(ofPerson(contested), eventOf(contested), theft);
    expect(await said()).toEqual([0, 0]);
    await move(service.disputes, id, 'RESOLVED_UPHELD');
    expect(await said()).toEqual([1, 1]);
  });

  test.each(['RESOLVED_UPHELD', 'REJECTED'] as const)(
    'that is %s brings it back, and is not claimed again',
    async (status) => {
      const contested = await record.contested();
      const person = ofPerson(contested);
      const before = await forOthers(contested);
      const { id } = await contest(person, eventOf(contested), theft);
      await move(service.disputes, id, status);
      const after = await forOthers(contested);
      expect(after).toMatchObject({
        underlying_status: before.underlying_status,
        episodes: before.episodes,
        late_months: before.late_months,
      });
      expect(await effectFor(lender, contested)).toBe('EFFECTIVE');
      const { dispute } = await service.disputes.getPersonDispute(person, { dispute_id: id });
      expect(dispute?.suppression).toBeUndefined();
      expect(await refusal(contest(person, eventOf(contested), theft))).toMatchObject({
        reason: 'BLOCK_DECIDED_BEFORE',
      });
      // What any other reason leaves as it is.
      await contest(person, eventOf(contested), { reason: 'FRAUD' });
      expect((await forOthers(contested)).underlying_status).toBe(before.underlying_status);
    },
  );

  test('that was right is mended for good, without a moment in which it is back', async () => {
    const contested = await record.contested();
    const { id } = await contest(ofPerson(contested), eventOf(contested), theft);
    const moved = await move(service.disputes, id, 'RESOLVED_CORRECTED');
    expect(moved.correction_event_id).toBeDefined();
    const file = await forOthers(contested);
    expect(file).toMatchObject({ underlying_status: 'CURRENT', episodes: [] });
    expect(await effectFor(lender, contested)).toBe('SUPERSEDED');
    expect(await record.typesOf(contested.account)).toEqual([
      'ACCOUNT_OPENED',
      'PAYMENT_LATE',
      'EVENT_SUPPRESSED',
      'CORRECTION',
      'EVENT_RESTORED',
    ]);
  });

  test('has a whole account off the file, which goes on and is not opened anew', async () => {
    const contested = await record.contested();
    const { account } = contested;
    const { reporting } = world.reporting;
    const { id } = await contest(ofPerson(contested), accountNamed(contested), theft);
    expect((await forOthers(contested)).voided).toBe(true);
    const own = await reporting.getAccount(lender, { account_id: account.id });
    expect(own.account).toMatchObject({ voided: false, suppressed: true, status: 'PAST_DUE' });
    await reporting.reportEvent(keyed(lender), { event: payment(account, 50) });
    const again = {
      ...accountOf(account.subject_id, { external_account_id: `again ${account.id}` }),
      account_type: account.account_type,
      original_principal_minor: account.original_principal_minor,
      opened_at: account.opened_at,
    };
    expect(await refusal(reporting.createAccount(keyed(lender), { account: again }))).toMatchObject(
      { reason: 'SUPPRESSED' },
    );
    await move(service.disputes, id, 'REJECTED');
    expect(await forOthers(contested)).toMatchObject({ voided: false, payment_count: 1 });
  });

  test('does not let the furnisher say the same again, but correct it', async () => {
    const contested = await record.contested();
    const { id } = await contest(ofPerson(contested), eventOf(contested), theft);
    expect(await refusal(record.late(contested.account, 40))).toMatchObject({
      reason: 'SUPPRESSED',
    });
    const { event } = await world.reporting.reporting.reportEvent(keyed(lender), {
      event: payment(contested.account, 41, {
        event_type: 'CORRECTION',
        amount_minor: undefined,
        supersedes_event_id: contested.event.id,
        correction_reason: 'The transfer was on time.',
      }),
    });
    expect(event?.effect).toBe('EFFECTIVE');
    await move(service.disputes, id, 'RESOLVED_UPHELD');
    expect((await forOthers(contested)).underlying_status).toBe('CURRENT');
  });

  test('leaves out what was said before a correction too', async () => {
    const contested = await record.contested();
    const { subject_id } = contested.account;
    const { reporting } = world.reporting;
    const { event: corrected } = await reporting.reportEvent(keyed(lender), {
      event: payment(contested.account, 41, {
        event_type: 'CORRECTION',
        amount_minor: 9_000n,
        supersedes_event_id: contested.event.id,
        corrected_event_type: 'PAYMENT_LATE',
        correction_reason: 'Another sum was late.',
      }),
    });
    await reporting.setStatement(ofPerson(contested), {
      record_id: contested.event.id,
      text: 'I was abroad.',
    });
    const chain = [contested.event.id, corrected?.id];
    const told = async () => {
      const look = { subject_id, inquiry_id: newId(), purpose: 'COUNTERPARTY_CHECK' as const };
      const { statements } = await reporting.recordInquiry(keyed(lender), look);
      const now = new Date(world.clock.now_ms()).toISOString();
      const then = { subject_id, as_of: now, known_at: now };
      const past = await reporting.getSubjectFileAt(systemContext('live'), then);
      const { changes } = await reporting.listSubjectChanges(systemContext('live'), {
        subject_id,
        after_id: NIL_UUID,
        until_id: 'ffffffff-ffff-7fff-bfff-ffffffffffff',
        limit: 100,
      });
      const changed = changes.filter(({ credit_event_id }) => chain.includes(credit_event_id));
      return [statements.length, past.statements.length, changed.length];
    };
    expect(await told()).toEqual([1, 1, 2]);
    await contest(ofPerson(contested), eventOf(contested), theft);
    expect(await told()).toEqual([0, 0, 0]);
  });

  test('is for persons alone: a stranger takes nothing off a file', async () => {
    const contested = await record.contested();
    const asked = open(service.disputes, { ...theft, credit_event_id: contested.event.id });
    expect(await refusal(asked)).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await forOthers(contested)).underlying_status).toBe('PAST_DUE');
  });

  test.each(['before:setSuppression', 'after:setSuppression'] as const)(
    'is left out by another process when one dies %s, and once',
    async (point) => {
      const contested = await record.contested();
      const mortal = await world.start();
      const died = mortal.dieAt(point);
      const asked = contest(ofPerson(contested), eventOf(contested), theft, mortal).catch(
        () => undefined,
      );
      await died;
      await service.work();
      expect((await forOthers(contested)).underlying_status).toBe('CURRENT');
      const { disputes } = await service.disputes.listPersonDisputes(ofPerson(contested), {
        limit: 10,
      });
      await move(service.disputes, disputes[0]?.id ?? '', 'RESOLVED_UPHELD');
      // Who was only thought dead comes too late.
      mortal.revive();
      await asked;
      expect((await forOthers(contested)).underlying_status).toBe('PAST_DUE');
      await mortal.stop();
    },
  );

  test('that a decision finds half done ends with the decision', async () => {
    const contested = await record.contested();
    const mortal = await world.start();
    const died = mortal.dieAt('before:setSuppression');
    const asked = contest(ofPerson(contested), eventOf(contested), theft, mortal).catch(
      () => undefined,
    );
    await died;
    const { disputes } = await service.disputes.listPersonDisputes(ofPerson(contested), {
      limit: 10,
    });
    await move(service.disputes, disputes[0]?.id ?? '', 'REJECTED');
    mortal.revive();
    await asked;
    expect((await forOthers(contested)).underlying_status).toBe('PAST_DUE');
    await mortal.stop();
  });

  test('leaves the record so that it can be verified', async () => {
    const lines: string[] = [];
    const right = await verifyRecordCommand(world.reporting, [], (line) => lines.push(line));
    expect({ right, lines }).toMatchObject({ right: true });
  });
});

describe('what is not decided in time', () => {
  /** In days; nothing happens in others. */
  const plan = fc.record({
    by: fc.constantFrom('PERSON', 'ANYBODY', 'ANYBODY_REVIEWED'),
    policy: fc.constantFrom('SUPPRESS', 'KEEP'),
    looks_on: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
    decided_on: fc.integer({ min: 1, max: 60 }),
    outcome: fc.constantFrom('RESOLVED_UPHELD', 'REJECTED', 'RESOLVED_CORRECTED'),
  });

  test('is out of the file from then on until it is, where the network has it so', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ by, decided_on, looks_on, outcome, policy }) => {
        world.clock.offset_ms = 0;
        const contested = await record.contested();
        const at = policy === 'SUPPRESS' ? suppressing : service;
        const { id } =
          by === 'PERSON'
            ? await contest(ofPerson(contested), eventOf(contested))
            : await open(at.disputes, { credit_event_id: contested.event.id });
        if (by === 'ANYBODY_REVIEWED') await move(at.disputes, id, 'UNDER_REVIEW');
        const clean = { underlying_status: 'CURRENT', episodes: [], late_months: [] };
        const late = await forOthers(contested);
        const shown = { underlying_status: 'PAST_DUE', episodes: late.episodes };
        for (const day of [...new Set(looks_on)].sort((a, b) => a - b)) {
          if (day >= decided_on) break;
          world.clock.offset_ms = day * DAY_MS;
          await at.work();
          const is_out = policy === 'SUPPRESS' && by !== 'ANYBODY' && day >= 30;
          expect(await forOthers(contested)).toMatchObject(is_out ? clean : shown);
        }
        world.clock.offset_ms = decided_on * DAY_MS;
        await at.work();
        await move(at.disputes, id, outcome);
        await at.work();
        expect(await forOthers(contested)).toMatchObject(
          outcome === 'RESOLVED_CORRECTED' ? clean : shown,
        );
      }),
      { numRuns: 12 },
    );
    world.clock.offset_ms = 0;
  });

  test('is out at the first moment after it was due, and not before', async () => {
    const contested = await record.contested();
    const dispute = await contest(ofPerson(contested), eventOf(contested));
    const now_ms = jest.spyOn(world.clock, 'now_ms');
    const due_ms = Date.parse(dispute.due_at ?? '');
    now_ms.mockReturnValue(due_ms);
    await suppressing.work();
    expect((await forOthers(contested)).underlying_status).toBe('PAST_DUE');
    now_ms.mockReturnValue(due_ms + 1);
    await suppressing.work();
    expect((await forOthers(contested)).underlying_status).toBe('CURRENT');
    now_ms.mockRestore();
    const { disputes } = await service.disputes.listPersonDisputes(ofPerson(contested), {
      limit: 1,
    });
    expect(disputes[0]).toMatchObject({ suppression: 'OVERDUE', suppressed_since: dispute.due_at });
  });
});
