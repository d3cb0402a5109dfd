import type { CallContext } from '@credit/platform/context';
import { command } from '@credit/platform/db';
import { forbidden, invalid } from '@credit/platform/errors';
import { institutionOf, personOf } from '@credit/platform/requests';
import { keyedWrite, type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import * as wire from '@credit/proto/disputes/v1/disputes';
import { Replacement } from '@credit/proto/reporting/v1/reporting';
import { answerDispute, checkAnswer, rehearseAnswer } from './commands/answer-dispute';
import type { MoveDeps } from './commands/carry-out-move';
import { locateOldest } from './commands/locate-disputes';
import { type MoveDispute, moveDispute } from './commands/move-dispute';
import { type OpenDisputeDeps, openDispute } from './commands/open-dispute';
import { openPersonDispute } from './commands/open-person-dispute';
import { readDisputeRecord } from './commands/read-dispute-record';
import { type MovePreview, rehearseMove } from './commands/rehearse-move';
import {
  moveSandboxDispute,
  openSandboxDispute,
  rejectSandboxDisputes,
} from './commands/sandbox-disputes';
import { suppressNow } from './commands/suppress-disputes';
import { parsePersonDispute } from './domain/person-dispute';
import {
  answerMessage,
  disputeMessage,
  fileMessage,
  personDisputeMessage,
  recordMessage,
  type View,
} from './messages';
import { getDispute } from './queries/get-dispute';
import { getOpenedDispute } from './queries/get-opened-dispute';
import { listDisputes } from './queries/list-disputes';
import { getPersonDispute, listPersonDisputes } from './queries/person-disputes';
import { groupSizes } from './store/disputes';

/** What the handlers need. */
export type DisputesRpcDeps = MoveDeps & OpenDisputeDeps;

/** A listing does not wait longer for reporting. */
const LOCATE_TIMEOUT_MS = 1_500;
const DAY_S = 86_400;
const RECORDS = 'credit_event_id, account_id, inquiry_id';

const { methods } = wire.DisputesServiceDefinition;

/** The gRPC face of the service. */
export function disputesRpc(deps: DisputesRpcDeps): ServiceRegistration {
  const { clock, db, logger, reporting } = deps;
  return serviceRegistration(wire.DisputesServiceDefinition, {
    openDispute: async (ctx, request) => {
      const { reason, ...draft } = request;
      const opened = await openDispute(deps, ctx, { ...draft, reason: specified(reason) });
      return {
        dispute: disputeMessage(opened.dispute, clock.now_ms(), { of: 'OPENER' }),
        access_token: opened.access_token,
      };
    },
    getOpenedDispute: async (ctx, request) => {
      const dispute = await getOpenedDispute(db, ctx, request);
      return { dispute: disputeMessage(dispute, clock.now_ms(), { of: 'OPENER' }) };
    },
    openPersonDispute: async (ctx, request) => {
      const { record, reason, ...draft } = request;
      personOf(ctx);
      if (record === undefined) throw invalid('', `${RECORDS}: exactly one is required`);
      const place = await reporting.locateOnFile(ctx, record);
      const contested = { kind: record.$case, id: record.value };
      const said = { ...draft, reason: specified(reason) };
      const intake = parsePersonDispute(contested, said, place);
      const write = keyedWrite(methods.openPersonDispute, DAY_S);
      const opened = await command(db, ctx, write, request, async (tx) => {
        const dispute = await openPersonDispute(tx, deps, ctx, intake, place);
        return { dispute: disputeMessage(dispute, clock.now_ms(), { of: 'OPENER' }) };
      });
      // Asked again with its key, what was not done before its answer is done before this one.
      await suppressNow(deps, ctx, opened.dispute?.id ?? '');
      return opened;
    },
    listPersonDisputes: async (ctx, request) => {
      const page = await listPersonDisputes(db, ctx, request);
      const now_ms = clock.now_ms();
      return {
        disputes: page.items.map((dispute) => disputeMessage(dispute, now_ms, { of: 'OPENER' })),
        next_cursor: page.next_cursor,
      };
    },
    getPersonDispute: async (ctx, request) =>
      personDisputeMessage(await getPersonDispute(deps, ctx, request), clock.now_ms()),
    listDisputes: async (caller, request) => {
      const ctx = seatOf(caller);
      const now_ms = clock.now_ms();
      const { order, stage, status, ...wanted } = request;
      if (!isDesk(ctx) || wanted.reported_institution_id !== undefined) {
        await locateFirst(ctx);
      }
      const page = await listDisputes(db, ctx, {
        ...wanted,
        status: specified(status),
        stage: specified(stage),
        order: specified(order),
        now_ms,
      });
      return {
        disputes: page.items.map((dispute) =>
          disputeMessage(dispute, now_ms, viewOf(ctx, page.group_sizes.get(dispute.group_id))),
        ),
        next_cursor: page.next_cursor,
        total_count: page.total_count,
      };
    },
    getDispute: async (ctx, request) => {
      const file = await getDispute(deps, ctx, request);
      return fileMessage(file, clock.now_ms(), { of: 'INSTITUTION' });
    },
    answerDispute: async (ctx, request) => {
      const verdict = specified(request.verdict);
      const checked = await checkAnswer(deps, ctx, { ...request, verdict });
      if (request.dry_run) {
        return { answer: answerMessage(await rehearseAnswer(deps, ctx, checked)) };
      }
      const write = keyedWrite(methods.answerDispute, DAY_S);
      return command(db, ctx, write, request, async (tx) => ({
        answer: answerMessage(await answerDispute(tx, deps, ctx, checked)),
      }));
    },
    moveDispute: async (caller, request) => {
      const ctx = deskOf(caller);
      if (request.dry_run) {
        const preview = await rehearseMove(deps, ctx, decision(request));
        const { dispute } = preview;
        const sizes = await groupSizes(db.read(ctx), [dispute.group_id]);
        const view = viewOf(ctx, sizes.get(dispute.group_id));
        const message = disputeMessage(dispute, clock.now_ms(), view);
        return { dispute: message, preview: previewMessage(preview) };
      }
      const dispute = await moveDispute(deps, ctx, decision(request));
      const sizes = await groupSizes(db.read(ctx), [dispute.group_id]);
      const view = viewOf(ctx, sizes.get(dispute.group_id));
      return { dispute: disputeMessage(dispute, clock.now_ms(), view) };
    },
    getDisputeRecord: async (caller, request) =>
      recordMessage(await readDisputeRecord(deps, deskOf(caller), request), clock.now_ms()),
    openSandboxDispute: async (ctx, request) => {
      const reason = specified(request.reason);
      const dispute = await openSandboxDispute(deps, ctx, { ...request, reason });
      return { dispute: disputeMessage(dispute, clock.now_ms(), { of: 'INSTITUTION' }) };
    },
    moveSandboxDispute: async (ctx, request) => {
      if (request.decision === undefined) throw invalid('decision', 'is required');
      if (request.decision.dry_run) throw invalid('decision.dry_run', 'is for MoveDispute only');
      const dispute = await moveSandboxDispute(deps, ctx, decision(request.decision));
      return { dispute: disputeMessage(dispute, clock.now_ms(), { of: 'INSTITUTION' }) };
    },
    rejectSandboxDisputes: (ctx) => rejectSandboxDisputes(deps, ctx),
  });

  /**
   * An institution finds what was opened just before. What is known already is shown without
   * reporting too.
   */
  async function locateFirst(ctx: CallContext): Promise<void> {
    const deadline_at_ms = Math.min(ctx.deadline_at_ms, Date.now() + LOCATE_TIMEOUT_MS);
    try {
      await locateOldest(deps, { ...ctx, institution_id: '', deadline_at_ms });
    } catch (error) {
      logger.warn({ err: error }, 'a listing goes without the latest disputes');
    }
  }
}

function decision(request: wire.MoveDisputeRequest): MoveDispute {
  const { apply_to_group, correction, dry_run: _dry_run, status, ...same } = request;
  return {
    ...same,
    resolution: request.resolution,
    status: specified(status),
    correction: correction && Replacement.encode(correction).finish(),
    apply_to_group: apply_to_group === true,
  };
}

/**
 * For whom the caller looks at disputes: an administrator for the network, though it may belong to an
 * institution too, and a member for its own.
 */
function seatOf(ctx: CallContext): CallContext {
  if (ctx.actor.administers) return { ...ctx, institution_id: '' };
  institutionOf(ctx);
  return ctx;
}

/** The caller as an administrator of the network; 403 for anybody else. */
function deskOf(caller: CallContext): CallContext {
  const ctx = seatOf(caller);
  if (isDesk(ctx)) return ctx;
  throw forbidden('Only an administrator of the network decides disputes.', { reason: 'ROLE' });
}

/** The network's desk sees and decides all disputes. */
function isDesk({ institution_id }: CallContext): boolean {
  return institution_id === '';
}

function viewOf(ctx: CallContext, group_size = 0): View {
  return isDesk(ctx) ? { of: 'DESK', group_size } : { of: 'INSTITUTION' };
}

/** What a decision would do. */
function previewMessage({ accounts, dispute: _shown, ...same }: MovePreview): wire.DecisionPreview {
  return { ...same, accounts: [...accounts] };
}
