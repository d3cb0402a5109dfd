// A contested record, and what can be seen of it.

import type { CallContext } from '@credit/platform/context';
import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import type {
  Dispute,
  DisputeStatus,
  MoveDisputeRequest,
  OpenDisputeRequest,
} from '@credit/proto/disputes/v1/disputes';
import type { Event } from '@credit/proto/events/v1/events';
import { type Account, type CreditEvent, EventType } from '@credit/proto/reporting/v1/types';
import { institution, keyed, newAccount, payment } from '../../../reporting/test/harness';
import type { Disputes, World } from './world';

export const administrator = systemContext('live', {
  actor: { type: 'user', id: newId(), administers: true },
  request_id: 'decided-here',
});
export const lender = institution();
const anonymous = systemContext('live', { actor: { type: 'anonymous', id: '' } });

/** An account in arrears, and the event that says so. */
export interface Contested {
  readonly account: Account;
  readonly event: CreditEvent;
}

export class Record {
  constructor(private readonly world: World) {}

  /** Has a payment reported late. */
  async contested(ctx: CallContext = lender): Promise<Contested> {
    const { reporting } = this.world.reporting;
    const account = await newAccount(reporting, ctx);
    return { account, event: await this.late(account, 40, ctx) };
  }

  async late(account: Account, day: number, ctx: CallContext = lender): Promise<CreditEvent> {
    const { event } = await this.world.reporting.reporting.reportEvent(keyed(ctx), {
      event: payment(account, day, { event_type: EventType.PAYMENT_LATE, amount_minor: undefined }),
    });
    if (event === undefined) throw new Error('No event came back.');
    return event;
  }

  /** The account's events, oldest first. */
  async events(account: Account): Promise<CreditEvent[]> {
    const { events } = await this.world.reporting.reporting.listAccountEvents(lender, {
      account_id: account.id,
      limit: 100,
    });
    return events.toReversed();
  }

  async typesOf(account: Account): Promise<string[]> {
    return (await this.events(account)).map((one) => one.event_type);
  }

  async statusOf(account: Account, ctx: CallContext = lender): Promise<string | undefined> {
    const { reporting } = this.world.reporting;
    const found = await reporting.getAccount(ctx, { account_id: account.id });
    return found.account?.status;
  }

  /** What was told of a dispute; of logs, the network's own unless another is named. */
  async told(dispute_id: string, log = ''): Promise<Event['payload'][]> {
    const events = await this.world.told();
    return events
      .map(({ payload }) => payload)
      .filter(
        (payload) =>
          (payload?.$case === 'audit_recorded' &&
            payload.value.target_id === dispute_id &&
            payload.value.institution_id === log) ||
          ((payload?.$case === 'dispute_opened' || payload?.$case === 'dispute_resolved') &&
            payload.value.dispute_id === dispute_id),
      );
  }

  /** The kinds of what was told of a dispute, audited actions by their names. */
  async kindsTold(dispute_id: string): Promise<string[]> {
    return (await this.told(dispute_id)).map((payload) =>
      payload?.$case === 'audit_recorded' ? payload.value.action : (payload?.$case ?? ''),
    );
  }
}

export async function open(
  disputes: Disputes,
  fields: Partial<OpenDisputeRequest>,
): Promise<Dispute> {
  const { dispute } = await disputes.openDispute(anonymous, {
    opened_by: 'stonecutter',
    reason: 'PAYMENT_REPORTED_LATE',
    description: 'The payment of 24 February was on time.',
    evidence_links: [],
    ...fields,
  });
  if (dispute === undefined) throw new Error('No dispute came back.');
  return dispute;
}

export async function move(
  disputes: Disputes,
  dispute_id: string,
  status: keyof typeof DisputeStatus,
  fields: Partial<MoveDisputeRequest> = {},
  ctx: CallContext = administrator,
): Promise<Dispute> {
  const { dispute } = await disputes.moveDispute(ctx, {
    dispute_id,
    status: status,
    resolution: 'The bank confirms the transfer.',
    account_ids: [],
    inquiry_ids: [],
    ...fields,
  });
  if (dispute === undefined) throw new Error('No dispute came back.');
  return dispute;
}
