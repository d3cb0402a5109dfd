import type {
  ApiKey,
  Institution,
  LoginResponse,
  TokenPair,
  User,
  UserProfile,
} from '@credit/proto/identity/v1/identity';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';
import type { NetworkParts } from './reports';

type AuthOperations =
  | 'login'
  | 'completeLogin'
  | 'refresh'
  | 'logout'
  | 'getCaller'
  | 'changePassword'
  | 'forgotPassword'
  | 'resetForgottenPassword'
  | 'beginSecondFactor'
  | 'confirmSecondFactor'
  | 'renewRecoveryCodes'
  | 'removeSecondFactor'
  | 'listSessions'
  | 'endSession'
  | 'previewInvitation'
  | 'acceptInvitation'
  | 'createInvitation'
  | 'listInvitations'
  | 'withdrawInvitation'
  | 'listMembers'
  | 'updateMember'
  | 'resetMemberSecondFactor'
  | 'getOwnInstitution'
  | 'updateOwnInstitution';

function userProfile({ user, institution, permissions, ...rest }: UserProfile) {
  const { id, email, display_name, role, platform_role, ...own } = present(user);
  return {
    type: 'user' as const,
    id,
    email,
    display_name,
    role,
    platform_role,
    institution,
    permissions,
    test_permissions: rest.test_permissions,
    must_change_password: own.must_change_password,
    must_set_second_factor: rest.must_set_second_factor,
    second_factor: own.second_factor,
    recovery_codes_left: rest.recovery_codes_left,
  };
}

/** A user of an institution, which has a role there. */
function member({ role, ...user }: User) {
  return { ...user, role: present(role) };
}

function apiKeyProfile(api_key: ApiKey, institution: Institution | undefined) {
  const { id, display_name, prefix, scopes, environment } = api_key;
  return {
    type: 'api_key' as const,
    id,
    display_name,
    prefix,
    scopes,
    environment,
    institution,
  };
}

function session({
  tokens,
  user,
}: {
  tokens: TokenPair | undefined;
  user: UserProfile | undefined;
}) {
  const { access_token, refresh_token, expires_in } = present(tokens);
  const profile = userProfile(present(user));
  return {
    type: 'session' as const,
    access_token,
    refresh_token,
    token_type: 'Bearer' as const,
    expires_in,
    must_change_password: profile.must_change_password,
    user: profile,
  };
}

/** What a right password gives: a session, or the way to the second step. */
function signedIn({ challenge, ...rest }: LoginResponse) {
  return challenge === undefined ? session(rest) : { type: 'second_factor' as const, ...challenge };
}

export function authRoutes({ identity }: Clients, parts: NetworkParts): HandlersOf<AuthOperations> {
  return {
    login: async ({ ctx, body }) =>
      signedIn(await identity.login(ctx, { ...body, client_address: ctx.client_address })),
    completeLogin: async ({ ctx, body }) => session(await identity.completeLogin(ctx, body)),
    refresh: async ({ ctx, body }) => session(await identity.refresh(ctx, body)),
    logout: async ({ ctx, principal }) => {
      await identity.logout(ctx, { session_id: present(principal).session_id });
    },
    getCaller: async ({ ctx }) => {
      const { user, api_key, institution } = await identity.getCaller(ctx, {});
      return user === undefined ? apiKeyProfile(present(api_key), institution) : userProfile(user);
    },
    changePassword: async ({ ctx, body }) => {
      await identity.changePassword(ctx, body);
    },
    forgotPassword: async ({ ctx, body }) => {
      await identity.requestPasswordReset(ctx, body);
    },
    resetForgottenPassword: async ({ ctx, body }) => {
      await identity.completePasswordReset(ctx, body);
    },
    beginSecondFactor: ({ ctx, body }) =>
      identity.beginSecondFactor(ctx, { ...body, issuer: parts.network.name }),
    confirmSecondFactor: ({ ctx, body, principal }) =>
      identity.confirmSecondFactor(ctx, {
        ...body,
        session_id: present(principal).session_id,
      }),
    renewRecoveryCodes: ({ ctx, body }) => identity.renewRecoveryCodes(ctx, body),
    removeSecondFactor: async ({ ctx, body }) => {
      await identity.removeSecondFactor(ctx, body);
    },
    listSessions: async ({ ctx, query, principal }) => {
      const { sessions, next_cursor } = await identity.listSessions(ctx, query);
      const { session_id } = present(principal);
      const items = sessions.map((own) => ({ ...own, current: own.id === session_id }));
      return { items, next_cursor };
    },
    endSession: async ({ ctx, params }) => {
      await identity.endSession(ctx, params);
    },
    previewInvitation: async ({ ctx, body }) => identity.previewInvitation(ctx, body),
    acceptInvitation: async ({ ctx, body }) =>
      userProfile(present((await identity.acceptInvitation(ctx, body)).user)),
    createInvitation: async ({ ctx, body }) =>
      present((await identity.createInvitation(ctx, body)).invitation),
    listInvitations: async ({ ctx, query }) => {
      const { invitations, next_cursor } = await identity.listInvitations(ctx, query);
      return { items: invitations, next_cursor };
    },
    listMembers: async ({ ctx, query }) => {
      const page = await identity.listMembers(ctx, query);
      return { ...page, items: page.users.map(member) };
    },
    updateMember: async ({ ctx, params, body }) =>
      member(present((await identity.updateMember(ctx, { ...params, ...body })).user)),
    resetMemberSecondFactor: async ({ ctx, params }) => {
      await identity.resetMemberSecondFactor(ctx, params);
    },
    getOwnInstitution: async ({ ctx }) =>
      present((await identity.getOwnInstitution(ctx, {})).institution),
    updateOwnInstitution: async ({ ctx, body }) =>
      present((await identity.updateOwnInstitution(ctx, body)).institution),
    withdrawInvitation: async ({ ctx, params }) => {
      await identity.withdrawInvitation(ctx, params);
    },
  };
}
