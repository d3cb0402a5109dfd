import type { CallContext } from '@credit/platform/context';
import { invalid } from '@credit/platform/errors';
import { withRetry } from '@credit/platform/rpc';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

type MyRights =
  | 'getMyFreeze'
  | 'placeMyFreeze'
  | 'liftMyFreeze'
  | 'placeMyThaw'
  | 'withdrawMyThaw'
  | 'listMyAlerts'
  | 'placeMyAlert'
  | 'removeMyAlert'
  | 'listMyStatements'
  | 'setMyStatement'
  | 'removeMyStatement';

/** What people put on their own files: whose it is, the session says. */
export function myRightsRoutes({ identity, reporting }: Clients): HandlersOf<MyRights> {
  const rightsOf = async (ctx: CallContext) => {
    const { rights, refused_inquiries } = await reporting.getFileRights(ctx, {});
    return { ...present(rights), refused_inquiries };
  };
  const freezeOf = async (ctx: CallContext) => {
    const { frozen_since, thaws, refused_inquiries } = await rightsOf(ctx);
    return { frozen_since, thaws, refused_inquiries };
  };
  return {
    getMyFreeze: ({ ctx }) => freezeOf(ctx),
    placeMyFreeze: async ({ ctx }) => {
      // Placed twice it is placed once.
      await withRetry(ctx, () => reporting.placeFreeze(ctx, {}));
      return freezeOf(ctx);
    },
    liftMyFreeze: async ({ ctx }) => {
      await withRetry(ctx, () => reporting.liftFreeze(ctx, {}));
      return undefined;
    },
    placeMyThaw: async ({ ctx, body }) => {
      // The record knows institutions by their ids alone; an open door for nobody is a mistake to tell of.
      if (body.institution_id !== undefined) {
        const institution_ids = [body.institution_id];
        const { names } = await identity.nameInstitutions(ctx, { institution_ids });
        if (names.length === 0) throw invalid('institution_id', 'is no institution of the network');
      }
      // The same again is the same thaw.
      return withRetry(ctx, async () => present((await reporting.placeThaw(ctx, body)).thaw));
    },
    withdrawMyThaw: async ({ ctx, params }) => {
      await reporting.withdrawThaw(ctx, params);
      return undefined;
    },
    listMyAlerts: async ({ ctx }) => (await rightsOf(ctx)).alerts,
    placeMyAlert: async ({ ctx, body }) => present((await reporting.placeAlert(ctx, body)).alert),
    removeMyAlert: async ({ ctx, params }) => {
      await reporting.removeAlert(ctx, params);
      return undefined;
    },
    listMyStatements: async ({ ctx }) => (await rightsOf(ctx)).statements,
    setMyStatement: ({ ctx, params, body }) =>
      // The same words set twice are set once.
      withRetry(ctx, async () =>
        present((await reporting.setStatement(ctx, { ...params, ...body })).statement),
      ),
    removeMyStatement: async ({ ctx, params }) => {
      await reporting.removeStatement(ctx, params);
      return undefined;
    },
  };
}
