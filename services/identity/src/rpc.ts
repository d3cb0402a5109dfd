import type { CallContext } from '@credit/platform/context';
import { invalid } from '@credit/platform/errors';
import { noteOf, type PublicKey, type SignedCheckpoint } from '@credit/platform/merkle';
import { countFrom, uuidFrom, uuidIfGiven } from '@credit/platform/requests';
import { type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { permittedTo, specified } from '@credit/platform/values';
import * as proto from '@credit/proto/identity/v1/identity';
import { acceptInvitation } from './commands/accept-invitation';
import { answerContactRequest } from './commands/answer-contact-request';
import { authorizeBatch, type CheckResult } from './commands/authorize-batch';
import { changePassword } from './commands/change-password';
import { completeLogin } from './commands/complete-login';
import { completePasswordReset } from './commands/complete-password-reset';
import { createApiKey } from './commands/create-api-key';
import { createInstitution } from './commands/create-institution';
import { createInvitation } from './commands/create-invitation';
import { createUser } from './commands/create-user';
import { endSession } from './commands/end-session';
import type { IssuedInvitation } from './commands/invite';
import type { IssuedApiKey } from './commands/issue-api-key';
import type { SignedIn } from './commands/issue-tokens';
import { login } from './commands/login';
import { recordRefusal } from './commands/record-refusal';
import { refresh } from './commands/refresh';
import { requestPasswordReset } from './commands/request-password-reset';
import { resendInvitation } from './commands/resend-invitation';
import { resetPassword } from './commands/reset-password';
import { resetMemberSecondFactor, resetSecondFactor } from './commands/reset-second-factor';
import { reviewApplication } from './commands/review-application';
import { revokeApiKey } from './commands/revoke-api-key';
import { revokeSessions } from './commands/revoke-sessions';
import { rotateApiKey } from './commands/rotate-api-key';
import {
  beginSecondFactor,
  confirmOfferedFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from './commands/second-factor';
import { submitApplication } from './commands/submit-application';
import { submitContactRequest } from './commands/submit-contact-request';
import { updateInstitution } from './commands/update-institution';
import { updateMember } from './commands/update-member';
import { updateOwnInstitution } from './commands/update-own-institution';
import { updateUser } from './commands/update-user';
import { withdrawInvitation } from './commands/withdraw-invitation';
import type { Dependencies } from './dependencies';
import type { ApiKey } from './domain/api-keys';
import { NETWORK_CHAIN_ID } from './domain/audit-chain';
import { consoleLink } from './domain/mails';
import { mustSetSecondFactor, type RequiredOf } from './domain/second-factors';
import type { Becomes } from './domain/users';
import {
  confirmContactBy,
  readContact,
  removeContact,
  setContact,
} from './persons/commands/contact';
import { createAccessLink } from './persons/commands/create-access-link';
import { endOwnPersonSession } from './persons/commands/end-person-session';
import { openAccessLink } from './persons/commands/open-access-link';
import {
  beginPersonSignIn,
  completePersonSignIn,
  proveWhoSignsIn,
} from './persons/commands/person-sign-in';
import {
  listCheckpoints,
  proveConsistency,
  proveEntry,
  readEventLogCheckpoint,
} from './queries/audit-proofs';
import { readCaller } from './queries/caller';
import { nameInstitutions } from './queries/institution-names';
import { readInstitution, readOwnInstitution } from './queries/institutions';
import { previewInvitation } from './queries/invitation-preview';
import {
  institutionOf,
  listApiKeys,
  listApplications,
  listAuditEvents,
  listContactRequests,
  listInstitutions,
  listInvitations,
  listMembers,
  listNetworkAuditEvents,
  listPublicInstitutions,
  listSessions,
  listUsers,
  type NamedRecord,
} from './queries/listings';
import type { Profile } from './queries/profile';
import { readTotals } from './queries/totals';
import type { Invitation } from './store/invitations';

/** Serves credit.identity.v1: translates between messages and the domain, nothing else. */
export function identityRpc(deps: Dependencies): ServiceRegistration {
  const { db } = deps;
  return serviceRegistration(proto.IdentityServiceDefinition, {
    async authorizeBatch(ctx, request) {
      if (request.checks.length > MAX_CHECKS) {
        throw invalid('checks', `must be at most ${MAX_CHECKS}`);
      }
      const results = await authorizeBatch(deps, ctx, request.checks.map(fromCheck));
      return {
        results: results.map((result) =>
          toAuthorizeResult(result, deps.config.REQUIRE_SECOND_FACTOR),
        ),
      };
    },

    async submitApplication(ctx, request) {
      const { id, status } = await submitApplication(deps, ctx, request);
      return { id, status };
    },
    async listApplications(ctx, request) {
      const page = await listApplications(db, ctx, {
        ...request,
        status: specified(request.status),
      });
      return { ...page, applications: [...page.items] };
    },
    async reviewApplication(ctx, request) {
      const verdict = specified(request.status);
      if (verdict !== 'APPROVED' && verdict !== 'REJECTED') {
        throw invalid('status', 'must be APPROVED or REJECTED');
      }
      const { application, institution, issued } = await reviewApplication(deps, ctx, {
        application_id: uuidFrom('application_id', request.application_id),
        verdict,
        review_note: request.review_note,
        confirm_distinct: request.confirm_distinct === true,
      });
      return {
        application,
        institution,
        invitation: issued && toIssuedInvitation(issued),
      };
    },
    async resendInvitation(ctx, request) {
      const id = uuidFrom('application_id', request.application_id);
      return { invitation: toIssuedInvitation(await resendInvitation(deps, ctx, id)) };
    },
    async submitContactRequest(ctx, request) {
      return { id: await submitContactRequest(deps, ctx, request) };
    },
    async listContactRequests(ctx, request) {
      const page = await listContactRequests(db, ctx, {
        ...request,
        status: specified(request.status),
      });
      return { ...page, contact_requests: [...page.items] };
    },
    async answerContactRequest(ctx, request) {
      const status = specified(request.status);
      if (status !== 'ANSWERED' && status !== 'CLOSED') {
        throw invalid('status', 'must be ANSWERED or CLOSED');
      }
      const contact_request = await answerContactRequest(deps, ctx, {
        contact_request_id: uuidFrom('contact_request_id', request.contact_request_id),
        status,
        answer: request.answer,
      });
      return { contact_request };
    },

    async createInstitution(ctx, request) {
      const institution = await createInstitution(deps, ctx, {
        ...request,
        confirm_distinct: request.confirm_distinct === true,
      });
      return { institution };
    },
    async listInstitutions(ctx, request) {
      const page = await listInstitutions(db, ctx, {
        ...request,
        status: specified(request.status),
      });
      return { ...page, institutions: [...page.items] };
    },
    async updateInstitution(ctx, request) {
      const institution = await updateInstitution(deps, ctx, {
        ...request,
        institution_id: uuidFrom('institution_id', request.institution_id),
        status: specified(request.status),
      });
      return { institution };
    },
    async getInstitution(ctx, request) {
      const id = uuidFrom('institution_id', request.institution_id);
      const { status_reason, user_count, api_key_count, invitation_count, ...institution } =
        await readInstitution(db, ctx, id);
      return { institution, status_reason, user_count, api_key_count, invitation_count };
    },
    async getOwnInstitution(ctx) {
      return { institution: await readOwnInstitution(db, ctx) };
    },
    async updateOwnInstitution(ctx, request) {
      return { institution: await updateOwnInstitution(deps, ctx, request) };
    },
    async nameInstitutions(ctx, { institution_ids }) {
      return { names: await nameInstitutions(db, ctx, institution_ids) };
    },
    async listPublicInstitutions(ctx, request) {
      const page = await listPublicInstitutions(db, ctx, request);
      return { ...page, institutions: [...page.items] };
    },

    async login(ctx, request) {
      const client_address = request.client_address || ctx.client_address;
      const answer = await login(deps, ctx, { ...request, client_address });
      if ('challenge' in answer) return { tokens: undefined, user: undefined, challenge: answer };
      return { ...toSignedIn(answer), challenge: undefined };
    },
    async completeLogin(ctx, request) {
      return toSignedIn(await completeLogin(deps, ctx, request));
    },
    async refresh(ctx, request) {
      return toSignedIn(await refresh(deps, ctx, request.refresh_token));
    },
    async logout(ctx, request) {
      await endSession(deps, ctx, uuidFrom('session_id', request.session_id), 'user.logged_out');
      return {};
    },
    async createAccessLink(ctx, request) {
      const subject_id = uuidFrom('subject_id', request.subject_id);
      const link = await createAccessLink(deps, ctx, subject_id);
      const { person_url } = deps.config;
      const url = person_url && consoleLink(person_url, 'open', link.token);
      return { ...link, url: url ?? '' };
    },
    async openAccessLink(ctx, { token }) {
      return { tokens: await openAccessLink(deps, ctx, token) };
    },
    async beginPersonSignIn(ctx, { environment }) {
      return beginPersonSignIn(deps, ctx, environment === 'test' ? 'test' : 'live');
    },
    async provePersonSignIn(ctx, { sign_in_token, ...answer }) {
      return proveWhoSignsIn(deps, ctx, sign_in_token, answer);
    },
    async completePersonSignIn(ctx, { sign_in_token, subject_id }) {
      const whose = uuidFrom('subject_id', subject_id);
      return { tokens: await completePersonSignIn(deps, ctx, sign_in_token, whose) };
    },
    async endPersonSession(ctx, { session_id }) {
      await endOwnPersonSession(deps, ctx, uuidFrom('session_id', session_id));
      return {};
    },
    async getPersonContact(ctx) {
      return { contact: await readContact(deps, ctx) };
    },
    async setPersonContact(ctx, { email }) {
      return { contact: await setContact(deps, ctx, email) };
    },
    async confirmPersonContact(ctx, { token }) {
      await confirmContactBy(deps, ctx, token);
      return {};
    },
    async removePersonContact(ctx) {
      await removeContact(deps, ctx);
      return {};
    },
    async getCaller(ctx) {
      const caller = await readCaller(deps, ctx);
      if (caller.type === 'user') {
        return { user: toProfile(caller.profile), api_key: undefined, institution: undefined };
      }
      return {
        user: undefined,
        api_key: toApiKey(caller.api_key),
        institution: caller.institution,
      };
    },
    async changePassword(ctx, request) {
      await changePassword(deps, ctx, request);
      return {};
    },
    async beginSecondFactor(ctx, request) {
      return beginSecondFactor(deps, ctx, request);
    },
    async confirmSecondFactor(ctx, request) {
      const session_id = uuidFrom('session_id', request.session_id);
      const { code } = request;
      return { recovery_codes: await confirmOfferedFactor(deps, ctx, { code, session_id }) };
    },
    async renewRecoveryCodes(ctx, request) {
      return { recovery_codes: await renewRecoveryCodes(deps, ctx, request) };
    },
    async removeSecondFactor(ctx, request) {
      await removeSecondFactor(deps, ctx, request);
      return {};
    },
    async resetMemberSecondFactor(ctx, request) {
      await resetMemberSecondFactor(deps, ctx, uuidFrom('user_id', request.user_id));
      return {};
    },
    async resetSecondFactor(ctx, request) {
      await resetSecondFactor(deps, ctx, uuidFrom('user_id', request.user_id));
      return {};
    },
    async requestPasswordReset(ctx, request) {
      await requestPasswordReset(deps, ctx, request);
      return {};
    },
    async completePasswordReset(ctx, request) {
      await completePasswordReset(deps, ctx, request);
      return {};
    },
    async listSessions(ctx, request) {
      const page = await listSessions(db, ctx, request);
      return { ...page, sessions: [...page.items] };
    },
    async endSession(ctx, request) {
      await endSession(deps, ctx, uuidFrom('session_id', request.session_id), 'session.ended');
      return {};
    },
    async createInvitation(ctx, request) {
      const role = specified(request.role);
      if (role === undefined) throw invalid('role', 'is required');
      const issued = await createInvitation(deps, ctx, { email: request.email, role });
      return { invitation: toIssuedInvitation(issued) };
    },
    async listInvitations(ctx, request) {
      const page = await listInvitations(db, ctx, request);
      return { ...page, invitations: page.items.map((row) => toInvitation(row, '')) };
    },
    async withdrawInvitation(ctx, request) {
      await withdrawInvitation(deps, ctx, uuidFrom('invitation_id', request.invitation_id));
      return {};
    },
    async previewInvitation(ctx, request) {
      return previewInvitation(deps, ctx, request.token);
    },
    async acceptInvitation(ctx, request) {
      return { user: toProfile(await acceptInvitation(deps, ctx, request)) };
    },

    async createApiKey(ctx, request) {
      return toIssuedApiKey(await createApiKey(deps, ctx, request));
    },
    async listApiKeys(ctx, request) {
      const page = await listApiKeys(db, ctx, request);
      return { ...page, api_keys: page.items.map(toApiKey) };
    },
    async revokeApiKey(ctx, request) {
      await revokeApiKey(deps, ctx, uuidFrom('key_id', request.key_id));
      return {};
    },
    async rotateApiKey(ctx, request) {
      return toIssuedApiKey(await rotateApiKey(deps, ctx, uuidFrom('key_id', request.key_id)));
    },

    async recordRefusal(ctx, request) {
      const reason = specified(request.reason);
      if (reason === undefined) throw invalid('reason', 'is required');
      await recordRefusal(deps, ctx, { reason, operation: request.operation });
      return {};
    },
    async listAuditEvents(ctx, request) {
      const page = await listAuditEvents(db, ctx, request);
      return { ...page, events: page.items.map(toAuditEvent) };
    },
    async listNetworkAuditEvents(ctx, request) {
      const page = await listNetworkAuditEvents(db, ctx, request);
      return { ...page, events: page.items.map(toAuditEvent) };
    },

    async listAuditCheckpoints(ctx, request) {
      const page = await listCheckpoints(db, ctx, chainOf(ctx, request), request);
      return { ...page, checkpoints: page.items.map(toCheckpoint) };
    },
    async proveAuditEvent(ctx, request) {
      const id = uuidFrom('id', request.id);
      const size = sizeOf(request.size);
      const proof = await proveEntry(db, ctx, chainOf(ctx, request), id, size);
      const { entry, index, path, checkpoint } = proof;
      return { entry, index: BigInt(index), path: [...path], checkpoint: toCheckpoint(checkpoint) };
    },
    async proveAuditConsistency(ctx, request) {
      const [from, to] = [countFrom('from', request.from), countFrom('to', request.to)];
      return { path: [...(await proveConsistency(db, ctx, chainOf(ctx, request), from, to))] };
    },
    async listAuditKeys() {
      return { keys: deps.checkpoint_keys.published.map(toAuditKey) };
    },
    async getEventLogCheckpoint(ctx, request) {
      const checkpoint = await readEventLogCheckpoint(db, ctx, sizeOf(request.size));
      return { checkpoint: toCheckpoint(checkpoint) };
    },

    async listUsers(ctx, request) {
      const page = await listUsers(db, ctx, {
        ...request,
        status: specified(request.status),
        institution_id: uuidIfGiven('institution_id', request.institution_id),
      });
      return { ...page, users: [...page.items] };
    },
    async listMembers(ctx, request) {
      const page = await listMembers(db, ctx, { ...request, status: specified(request.status) });
      return { ...page, users: [...page.items] };
    },
    async updateMember(ctx, request) {
      const user = await updateMember(deps, ctx, uuidFrom('user_id', request.user_id), {
        role: specified(request.role),
        status: specified(request.status),
      });
      return { user };
    },
    async createUser(ctx, request) {
      const { user, temporary_password } = await createUser(deps, ctx, {
        email: request.email,
        display_name: request.display_name,
        institution_id: uuidIfGiven('institution_id', request.institution_id),
        role: specified(request.role),
        platform_role: specified(request.platform_role),
      });
      return { user, temporary_password };
    },
    async updateUser(ctx, request) {
      const user = await updateUser(deps, ctx, uuidFrom('user_id', request.user_id), {
        status: specified(request.status),
        email: request.email,
        display_name: request.display_name,
        institution_id: becomes(request.institution_id, (id) => uuidIfGiven('institution_id', id)),
        role: becomes(request.role, specified),
        platform_role: becomes(request.platform_role, specified),
      });
      return { user };
    },
    async resetPassword(ctx, request) {
      return resetPassword(deps, ctx, uuidFrom('user_id', request.user_id));
    },
    async revokeSessions(ctx, request) {
      return { revoked: await revokeSessions(deps, ctx, uuidFrom('user_id', request.user_id)) };
    },

    async getIdentityTotals(ctx: CallContext) {
      const { by_status, ...waiting } = await readTotals(db, ctx);
      return {
        ...waiting,
        institutions: by_status.find((row) => row.status === 'ACTIVE')?.count ?? 0n,
        institutions_by_status: by_status.map(({ status, count }) => ({
          status,
          count,
        })),
      };
    },
  });
}

/** Of a field that was sent: its zero value takes away what the field held. */
function becomes<From, To>(
  sent: From | undefined,
  read: (sent: From) => To | undefined,
): Becomes<To> | undefined {
  return sent === undefined ? undefined : { to: read(sent) };
}

/** A gateway has some hundreds at a time; more than this together no counter could hold. */
const MAX_CHECKS = 10_000;

function fromCheck(check: proto.AuthorizeCheck, index: number) {
  if (check.count > MAX_CHECKS) {
    throw invalid(`checks[${index}].count`, `must be at most ${MAX_CHECKS}`);
  }
  return {
    ...check,
    public_operation:
      check.limit_class === proto.LimitClass.PUBLIC_WRITE ? check.operation : undefined,
    count: check.count || 1,
  };
}

/** Whose audit log is asked for. */
function chainOf(ctx: CallContext, request: { network: boolean }): string {
  return request.network ? NETWORK_CHAIN_ID : institutionOf(ctx);
}

function sizeOf(size: bigint | undefined): number | undefined {
  return size === undefined ? undefined : countFrom('size', size);
}

function toAuditKey({ key_id, public_key, current }: PublicKey): proto.AuditKey {
  return { key_hash: key_id, algorithm: 'Ed25519', public_key, current };
}

function toCheckpoint(checkpoint: SignedCheckpoint): proto.Checkpoint {
  const { origin, size, root, signed_at, key_id } = checkpoint;
  return {
    origin,
    size: BigInt(size),
    root_hash: root,
    signed_at,
    key_hash: key_id,
    note: noteOf(checkpoint),
  };
}

function toAuthorizeResult(
  { found, rate, granted }: CheckResult,
  required_of: RequiredOf,
): proto.AuthorizeResult {
  return {
    state: found.state,
    principal: found.state === 'VALID' ? toPrincipal(found, required_of) : undefined,
    address_allowed: found.address_allowed,
    rate: { ...rate, reset_s: BigInt(rate.reset_s) },
    granted,
  };
}

function toPrincipal(found: CheckResult['found'], required_of: RequiredOf): proto.Principal {
  const { permissions, test_permissions } = permittedTo(found.role);
  return {
    is_api_key: found.is_api_key,
    is_person: found.is_person,
    id: found.principal_id ?? '',
    institution_id: found.institution_id ?? '',
    institution_status: found.institution_status ?? 'UNSPECIFIED',
    // Users act on live unless they ask for test.
    environment: found.environment ?? 'live',
    scopes: found.scopes ?? [],
    role: found.role ?? 'UNSPECIFIED',
    platform_role: found.platform_role ?? 'UNSPECIFIED',
    permissions: [...permissions],
    test_permissions: [...test_permissions],
    must_change_password: found.must_change_password ?? false,
    must_set_second_factor: !found.is_api_key && mustSetSecondFactor(required_of, found),
    session_id: found.session_id ?? '',
  };
}

function toIssuedInvitation({ invitation, token, link }: IssuedInvitation): proto.Invitation {
  return { ...toInvitation(invitation, token), link };
}

function toInvitation(invitation: Invitation, token: string): proto.Invitation {
  const { id, email, role, expires_at, invited_by, created_at } = invitation;
  return {
    id,
    email,
    role,
    expires_at,
    token,
    invited_by,
    created_at,
  };
}

function toProfile({ user, institution, ...rest }: Profile): proto.UserProfile {
  return {
    user,
    institution,
    recovery_codes_left: user.recovery_codes_left,
    permissions: [...rest.permissions],
    test_permissions: [...rest.test_permissions],
    must_set_second_factor: rest.must_set_second_factor,
  };
}

function toSignedIn({
  tokens,
  profile,
}: SignedIn): proto.CompleteLoginResponse & proto.RefreshResponse {
  return { tokens, user: toProfile(profile) };
}

function toApiKey(key: ApiKey): proto.ApiKey {
  return { ...key, scopes: [...key.scopes], allowed_ips: [...(key.allowed_ips ?? [])] };
}

function toIssuedApiKey({
  api_key,
  secret,
}: IssuedApiKey): proto.CreateApiKeyResponse & proto.RotateApiKeyResponse {
  return { api_key: toApiKey(api_key), secret };
}

function toAuditEvent({ ip, changes, ...record }: NamedRecord): proto.AuditEvent {
  return { ...record, ip: ip === '' ? undefined : ip, changes_json: changes };
}
