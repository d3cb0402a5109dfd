// What people put on their own files. The caller is the person: there is no other file that it could name.

import type { CallContext } from '@credit/platform/context';
import { command, type Database, type Transaction } from '@credit/platform/db';
import { personOf, uuidFrom, uuidIfGiven } from '@credit/platform/requests';
import {
  type Handlers,
  keyedWrite,
  type RequestOf,
  type ResponseOf,
  type UnaryMethod,
} from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import * as wire from '@credit/proto/reporting/v1/reporting';
import type { CommandDeps } from './commands/batch';
import {
  liftFreeze,
  placeAlert,
  placeFreeze,
  placeThaw,
  removeAlert,
  removeStatement,
  setStatement,
  withdrawThaw,
} from './commands/keep-file-entries';
import {
  alertMessage,
  ownInquiryMessage,
  rightsMessage,
  statementMessage,
  thawMessage,
} from './messages';
import { getFileRights } from './queries/file-rights';
import { msOf } from './values-from-proto';

type RightsHandlers = Pick<
  Handlers<typeof wire.ReportingServiceDefinition>,
  | 'getFileRights'
  | 'placeFreeze'
  | 'liftFreeze'
  | 'placeThaw'
  | 'withdrawThaw'
  | 'placeAlert'
  | 'removeAlert'
  | 'setStatement'
  | 'removeStatement'
>;

const { methods } = wire.ReportingServiceDefinition;
const DAY_S = 86_400;

/** Handlers of what a person does with its own file. */
export function rightsHandlers(deps: CommandDeps & { readonly db: Database }): RightsHandlers {
  const { db, clock } = deps;
  /** One act on the caller's own file, done once under its key. */
  const act = <M extends UnaryMethod>(
    ctx: CallContext,
    method: M,
    request: RequestOf<M>,
    run: (tx: Transaction, subject_id: string) => Promise<ResponseOf<M>>,
  ): Promise<ResponseOf<M>> => {
    const subject_id = personOf(ctx);
    return command(db, ctx, keyedWrite(method, DAY_S), request, (tx) => run(tx, subject_id));
  };
  return {
    getFileRights: async (ctx) => {
      const { rights, refused } = await getFileRights(db, ctx, personOf(ctx), clock.now_ms());
      return { rights: rightsMessage(rights), refused_inquiries: refused.map(ownInquiryMessage) };
    },
    placeFreeze: async (ctx, request) =>
      act(ctx, methods.placeFreeze, request, async (tx, subject_id) => ({
        rights: rightsMessage(await placeFreeze(tx, deps, ctx, subject_id)),
      })),
    liftFreeze: async (ctx, request) =>
      act(ctx, methods.liftFreeze, request, async (tx, subject_id) => ({
        rights: rightsMessage(await liftFreeze(tx, deps, ctx, subject_id)),
      })),
    placeThaw: async (ctx, request) =>
      act(ctx, methods.placeThaw, request, async (tx, subject_id) => {
        const draft = {
          institution_id: uuidIfGiven('institution_id', request.institution_id),
          from_ms: msOf(request.starts_at),
          until_ms: msOf(request.ends_at),
        };
        return { thaw: thawMessage(await placeThaw(tx, deps, ctx, subject_id, draft)) };
      }),
    withdrawThaw: async (ctx, request) =>
      act(ctx, methods.withdrawThaw, request, async (tx, subject_id) => {
        const thaw_id = uuidFrom('thaw_id', request.thaw_id);
        await withdrawThaw(tx, deps, ctx, subject_id, thaw_id);
        return {};
      }),
    placeAlert: async (ctx, request) =>
      act(ctx, methods.placeAlert, request, async (tx, subject_id) => {
        const kind = specified(request.kind);
        return { alert: alertMessage(await placeAlert(tx, deps, ctx, subject_id, kind)) };
      }),
    removeAlert: async (ctx, request) =>
      act(ctx, methods.removeAlert, request, async (tx, subject_id) => {
        const alert_id = uuidFrom('alert_id', request.alert_id);
        await removeAlert(tx, deps, ctx, subject_id, alert_id);
        return {};
      }),
    setStatement: async (ctx, request) =>
      act(ctx, methods.setStatement, request, async (tx, subject_id) => {
        const record_id = uuidFrom('record_id', request.record_id);
        const wanted = { record_id, text: request.text };
        return {
          statement: statementMessage(await setStatement(tx, deps, ctx, subject_id, wanted)),
        };
      }),
    removeStatement: async (ctx, request) =>
      act(ctx, methods.removeStatement, request, async (tx, subject_id) => {
        const record_id = uuidFrom('record_id', request.record_id);
        await removeStatement(tx, deps, ctx, subject_id, record_id);
        return {};
      }),
  };
}
