import { notFound } from '@credit/platform/errors';
import { withRetry } from '@credit/platform/rpc';
import type { PersonContact, PersonTokens } from '@credit/proto/identity/v1/identity';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

type MyOperations =
  | 'createAccessLink'
  | 'openMySession'
  | 'endMySession'
  | 'beginMySignIn'
  | 'completeMySignIn'
  | 'getMyContact'
  | 'setMyContact'
  | 'confirmMyContact'
  | 'removeMyContact';

/** How people get at their own files, and where they are told of them. */
export function myRoutes({ identity, reporting }: Clients): HandlersOf<MyOperations> {
  return {
    createAccessLink: async ({ ctx, params }) => {
      const { subject_id } = await reporting.requireFurnisher(ctx, params);
      const { token, url, expires_at } = await identity.createAccessLink(ctx, { subject_id });
      return { token, url, expires_at: present(expires_at) };
    },
    openMySession: async ({ ctx, body }) =>
      sessionOf((await identity.openAccessLink(ctx, body)).tokens),
    endMySession: async ({ ctx, principal }) => {
      await identity.endPersonSession(ctx, { session_id: present(principal).session_id });
      return undefined;
    },
    beginMySignIn: async ({ ctx, body }) => {
      const begun = await identity.beginPersonSignIn(ctx, body);
      return { ...begun, expires_at: present(begun.expires_at) };
    },
    completeMySignIn: async ({ ctx, body }) => {
      const { kind, value, environment } = await identity.provePersonSignIn(ctx, body);
      const whose = { ...ctx, environment: environment === 'test' ? 'test' : 'live' } as const;
      const { subject_id } = await reporting.identifyPerson(whose, { kind, value });
      if (subject_id === undefined) {
        throw notFound('There is no file of whoever signed in.', 'NO_FILE');
      }
      const { sign_in_token } = body;
      const { tokens } = await identity.completePersonSignIn(ctx, { sign_in_token, subject_id });
      return sessionOf(tokens);
    },
    getMyContact: async ({ ctx }) => contactOf(await identity.getPersonContact(ctx, {})),
    setMyContact: async ({ ctx, body }) => contactOf(await identity.setPersonContact(ctx, body)),
    confirmMyContact: async ({ ctx, body }) => {
      await identity.confirmPersonContact(ctx, body);
      return undefined;
    },
    removeMyContact: async ({ ctx }) => {
      await withRetry(ctx, () => identity.removePersonContact(ctx, {}));
      return undefined;
    },
  };
}

function contactOf({ contact }: { contact: PersonContact | undefined }) {
  const { confirmed_at, email, waiting_email, waiting_until } = present(contact);
  return { email, confirmed_at, waiting_email, waiting_until };
}

function sessionOf(tokens: PersonTokens | undefined) {
  const { access_token, expires_in, subject_id, environment } = present(tokens);
  return { access_token, token_type: 'Bearer' as const, expires_in, subject_id, environment };
}
