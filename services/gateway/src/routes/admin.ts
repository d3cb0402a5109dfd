import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

type AdminOperations =
  | 'listApplications'
  | 'reviewApplication'
  | 'resendInvitation'
  | 'listContactRequests'
  | 'answerContactRequest'
  | 'createInstitution'
  | 'listInstitutions'
  | 'getInstitution'
  | 'updateInstitution'
  | 'listUsers'
  | 'createUser'
  | 'updateUser'
  | 'resetPassword'
  | 'revokeSessions'
  | 'resetSecondFactor';

export function adminRoutes({ identity }: Clients): HandlersOf<AdminOperations> {
  return {
    listApplications: async ({ ctx, query }) => {
      const page = await identity.listApplications(ctx, query);
      return { ...page, items: page.applications };
    },
    reviewApplication: async ({ ctx, params, body }) => {
      const reviewed = await identity.reviewApplication(ctx, { ...params, ...body });
      const { application, institution, invitation } = reviewed;
      return { ...present(application), institution, invitation };
    },
    resendInvitation: async ({ ctx, params }) =>
      present((await identity.resendInvitation(ctx, params)).invitation),
    listContactRequests: async ({ ctx, query }) => {
      const page = await identity.listContactRequests(ctx, query);
      return { ...page, items: page.contact_requests };
    },
    answerContactRequest: async ({ ctx, params, body }) =>
      present((await identity.answerContactRequest(ctx, { ...params, ...body })).contact_request),
    createInstitution: async ({ ctx, body }) =>
      present((await identity.createInstitution(ctx, body)).institution),
    listInstitutions: async ({ ctx, query }) => {
      const page = await identity.listInstitutions(ctx, query);
      return { ...page, items: page.institutions };
    },
    getInstitution: async ({ ctx, params }) => {
      const { institution, ...detail } = await identity.getInstitution(ctx, params);
      return { institution: present(institution), ...detail };
    },
    updateInstitution: async ({ ctx, params, body }) =>
      present((await identity.updateInstitution(ctx, { ...params, ...body })).institution),
    listUsers: async ({ ctx, query }) => {
      const page = await identity.listUsers(ctx, query);
      return { ...page, items: page.users };
    },
    createUser: ({ ctx, body }) => identity.createUser(ctx, body),
    updateUser: async ({ ctx, params, body }) =>
      present((await identity.updateUser(ctx, { ...params, ...body })).user),
    resetPassword: ({ ctx, params }) => identity.resetPassword(ctx, params),
    revokeSessions: ({ ctx, params }) => identity.revokeSessions(ctx, params),
    resetSecondFactor: async ({ ctx, params }) => {
      await identity.resetSecondFactor(ctx, params);
    },
  };
}
