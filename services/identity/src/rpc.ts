import type { CallContext } from '@credit/platform/context';
import { invalid } from '@credit/platform/errors';
import { noteOf, type PublicKey, type SignedCheckpoint } from '@credit/platform/merkle';
import { uuidFrom, uuidIfGiven } from '@credit/platform/requests';
import { type ServiceRegistration, serviceRegistration } from '@credit/platform/rpc';
import { specified } from '@credit/platform/values';
import * as proto from '@credit/proto/identity/v1/identity';
import { acceptInvitation } from './commands/accept-invitation';
import { answerContactRequest } from './commands/answer-contact-request';
import { authorizeBatch, type CheckResult } from './commands/authorize-batch';
import { changePassword } from './commands/change-password';
import { createApiKey } from './commands/create-api-key';
import { createInstitution } from './commands/create-institution';
import { createInvitation } from './commands/create-invitation';
import { createUser } from './commands/create-user';
import type { IssuedInvitation } from './commands/invite';
import type { IssuedApiKey } from './commands/issue-api-key';
import type { SignedIn } from './commands/issue-tokens';
import { login } from './commands/login';
import { logout } from './commands/logout';
import { recordRefusal } from './commands/record-refusal';
import { refresh } from './commands/refresh';
import { resetPassword } from './commands/reset-password';
import { reviewApplication } from './commands/review-application';
import { revokeApiKey } from './commands/revoke-api-key';
import { revokeSessions } from './commands/revoke-sessions';
import { rotateApiKey } from './commands/rotate-api-key';
import { submitApplication } from './commands/submit-application';
import { submitContactRequest } from './commands/submit-contact-request';
import { updateInstitution } from './commands/update-institution';
import { updateUser } from './commands/update-user';
import { withdrawInvitation } from './commands/withdraw-invitation';
import type { Dependencies } from './dependencies';
import type { ApiKey } from './domain/api-keys';
import type { Application } from './domain/applications';
import { type AuditRecord, NETWORK_CHAIN_ID } from './domain/audit-chain';
import type { ContactRequest } from './domain/contact-requests';
import type { Institution } from './domain/institutions';
import { permissionsOf } from './domain/roles';
import type { User } from './domain/users';
import {
  listCheckpoints,
  proveConsistency,
  proveEntry,
  readEventLogCheckpoint,
} from './queries/audit-proofs';
import { readCaller } from './queries/caller';
import {
  institutionOf,
  listApiKeys,
  listApplications,
  listAuditEvents,
  listContactRequests,
  listInstitutions,
  listInvitations,
  listNetworkAuditEvents,
  listPublicInstitutions,
  listUsers,
} from './queries/listings';
import type { Profile } from './queries/profile';
import { readTotals } from './queries/totals';
import type { Invitation } from './store/invitations';

/** Serves credit.identity.v1: translates between messages and the domain, nothing else. */
export function identityRpc(deps: Dependencies): ServiceRegistration {
  const { db } = deps;
  return serviceRegistration(proto.IdentityServiceDefinition, {
    async authorizeBatch(ctx, request) {
      const results = await authorizeBatch(deps, ctx, request.checks.map(fromCheck));
      return { results: results.map(toAuthorizeResult) };
    },

    async submitApplication(ctx, request) {
      const { id, status } = await submitApplication(deps, ctx, request);
      return { id, status };
    },
    async listApplications(ctx, request) {
      const page = await listApplications(db, ctx, {
        ...request,
        q: request.q ?? null,
        status: specified(request.status) ?? null,
      });
      return { ...page, applications: page.items.map(toApplication) };
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
        application: toApplication(application),
        institution: institution && toInstitution(institution),
        invitation: issued && toIssuedInvitation(issued),
      };
    },
    async submitContactRequest(ctx, request) {
      return { id: await submitContactRequest(deps, ctx, request) };
    },
    async listContactRequests(ctx, request) {
      const page = await listContactRequests(db, ctx, {
        ...request,
        q: request.q ?? null,
        status: specified(request.status) ?? null,
      });
      return { ...page, contact_requests: page.items.map(toContactRequest) };
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
      return { contact_request: toContactRequest(contact_request) };
    },

    async createInstitution(ctx, request) {
      const institution = await createInstitution(deps, ctx, {
        ...request,
        confirm_distinct: request.confirm_distinct === true,
      });
      return { institution: toInstitution(institution) };
    },
    async listInstitutions(ctx, request) {
      const page = await listInstitutions(db, ctx, {
        ...request,
        q: request.q ?? null,
        status: specified(request.status) ?? null,
      });
      return { ...page, institutions: page.items.map(toInstitution) };
    },
    async updateInstitution(ctx, request) {
      const institution = await updateInstitution(deps, ctx, {
        ...request,
        institution_id: uuidFrom('institution_id', request.institution_id),
        status: specified(request.status),
      });
      return { institution: toInstitution(institution) };
    },
    async listPublicInstitutions(ctx, request) {
      const page = await listPublicInstitutions(db, ctx, request);
      return { ...page, institutions: page.items.map(toInstitution) };
    },

    async login(ctx, request) {
      const client_address = request.client_address || ctx.client_address;
      return toSignedIn(await login(deps, ctx, { ...request, client_address }));
    },
    async refresh(ctx, request) {
      return toSignedIn(await refresh(deps, ctx, request.refresh_token));
    },
    async logout(ctx, request) {
      await logout(deps, ctx, uuidFrom('session_id', request.session_id));
      return {};
    },
    async getCaller(ctx) {
      const caller = await readCaller(db, ctx);
      if (caller.type === 'user') {
        return { user: toProfile(caller.profile), api_key: undefined, institution: undefined };
      }
      return {
        user: undefined,
        api_key: toApiKey(caller.api_key),
        institution: caller.institution && toInstitution(caller.institution),
      };
    },
    async changePassword(ctx, request) {
      await changePassword(deps, ctx, request);
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
      const page = await listAuditEvents(db, ctx, fromAuditRequest(request));
      return { ...page, events: page.items.map(toAuditEvent) };
    },
    async listNetworkAuditEvents(ctx, request) {
      const page = await listNetworkAuditEvents(db, ctx, fromAuditRequest(request));
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
      const [from, to] = [Number(request.from), Number(request.to)];
      if (!(from >= 1)) throw invalid('from', 'must be 1 or more');
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
        q: request.q ?? null,
        status: specified(request.status) ?? null,
        institution_id: uuidIfGiven('institution_id', request.institution_id) ?? null,
      });
      return { ...page, users: page.items.map(toUser) };
    },
    async createUser(ctx, request) {
      const { user, temporary_password } = await createUser(deps, ctx, {
        email: request.email,
        display_name: request.display_name,
        institution_id: uuidIfGiven('institution_id', request.institution_id) ?? null,
        role: specified(request.role) ?? null,
        platform_role: specified(request.platform_role) ?? null,
      });
      return { user: toUser(user), temporary_password };
    },
    async updateUser(ctx, request) {
      const user = await updateUser(deps, ctx, uuidFrom('user_id', request.user_id), {
        status: specified(request.status),
        email: request.email,
        display_name: request.display_name,
        institution_id: changed(
          request.institution_id,
          (id) => uuidIfGiven('institution_id', id) ?? null,
        ),
        role: changed(request.role, (role) => specified(role) ?? null),
        platform_role: changed(request.platform_role, (role) => specified(role) ?? null),
      });
      return { user: toUser(user) };
    },
    async resetPassword(ctx, request) {
      return resetPassword(deps, ctx, uuidFrom('user_id', request.user_id));
    },
    async revokeSessions(ctx, request) {
      return { revoked: await revokeSessions(deps, ctx, uuidFrom('user_id', request.user_id)) };
    },

    async getIdentityTotals(ctx: CallContext) {
      const by_status = await readTotals(db, ctx);
      return {
        institutions: by_status.find((row) => row.status === 'ACTIVE')?.count ?? 0n,
        institutions_by_status: by_status.map(({ status, count }) => ({
          status,
          count,
        })),
      };
    },
  });
}

/** Undefined stays undefined: the caller leaves the field as it is. */
function changed<From, To>(value: From | undefined, read: (value: From) => To): To | undefined {
  return value === undefined ? undefined : read(value);
}

function fromCheck(check: proto.AuthorizeCheck) {
  return {
    ...check,
    public_operation: check.limit_class === proto.LimitClass.PUBLIC_WRITE ? check.operation : null,
    count: check.count || 1,
  };
}

/** Whose audit log is asked for. */
function chainOf(ctx: CallContext, request: { network: boolean }): string {
  return request.network ? NETWORK_CHAIN_ID : institutionOf(ctx);
}

function sizeOf(size: bigint | undefined): number | null {
  return size === undefined ? null : Number(size);
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

function fromAuditRequest(
  request: proto.ListAuditEventsRequest | proto.ListNetworkAuditEventsRequest,
) {
  return {
    limit: request.limit,
    cursor: request.cursor,
    action: request.action ?? null,
    actor_id: request.actor_id ?? null,
    target_id: request.target_id ?? null,
    from: request.from ?? null,
    to: request.to ?? null,
  };
}

function toAuthorizeResult({ found, rate, granted }: CheckResult): proto.AuthorizeResult {
  return {
    state: found.state,
    principal: found.state === 'VALID' ? toPrincipal(found) : undefined,
    address_allowed: found.address_allowed,
    rate: { ...rate, reset_s: BigInt(rate.reset_s) },
    granted,
  };
}

function toPrincipal(found: CheckResult['found']): proto.Principal {
  return {
    is_api_key: found.is_api_key,
    id: found.principal_id ?? '',
    institution_id: found.institution_id ?? '',
    institution_status: found.institution_status ?? 'UNSPECIFIED',
    // Users act on live.
    environment: found.environment ?? 'live',
    scopes: found.scopes ?? [],
    role: found.role ?? 'UNSPECIFIED',
    platform_role: found.platform_role ?? 'UNSPECIFIED',
    permissions: [...permissionsOf(found.role)],
    must_change_password: found.must_change_password ?? false,
    session_id: found.session_id ?? '',
  };
}

function toApplication(application: Application): proto.Application {
  return {
    ...application,
    website: application.website ?? undefined,
    description: application.description ?? undefined,
    status: application.status,
    review_note: application.review_note ?? undefined,
    reviewed_by: application.reviewed_by ?? undefined,
    reviewed_at: application.reviewed_at ?? undefined,
    institution_id: application.institution_id ?? undefined,
  };
}

function toInstitution(institution: Institution): proto.Institution {
  return {
    ...institution,
    website: institution.website ?? undefined,
    status: institution.status,
  };
}

function toIssuedInvitation({ invitation, token }: IssuedInvitation): proto.Invitation {
  return toInvitation(invitation, token);
}

function toInvitation(invitation: Invitation, token: string): proto.Invitation {
  const { id, email, role, expires_at, invited_by, created_at } = invitation;
  return {
    id,
    email,
    role,
    expires_at,
    token,
    invited_by: invited_by ?? undefined,
    created_at,
  };
}

function toContactRequest(request: ContactRequest): proto.ContactRequest {
  return {
    ...request,
    subject: request.subject ?? undefined,
    status: request.status,
    answer: request.answer ?? undefined,
    answered_by: request.answered_by ?? undefined,
    answered_at: request.answered_at ?? undefined,
  };
}

function toUser(user: User): proto.User {
  return {
    id: user.id,
    email: user.email,
    display_name: user.display_name,
    status: user.status,
    institution_id: user.institution_id ?? undefined,
    role: user.role ?? undefined,
    platform_role: user.platform_role ?? undefined,
    must_change_password: user.must_change_password,
    last_login_at: user.last_login_at ?? undefined,
    created_at: user.created_at,
  };
}

function toProfile({ user, institution, permissions }: Profile): proto.UserProfile {
  return {
    user: toUser(user),
    institution: institution && toInstitution(institution),
    permissions: [...permissions],
  };
}

function toSignedIn({ tokens, profile }: SignedIn): proto.LoginResponse & proto.RefreshResponse {
  return { tokens, user: toProfile(profile) };
}

function toApiKey(key: ApiKey): proto.ApiKey {
  return {
    id: key.id,
    display_name: key.display_name,
    prefix: key.prefix,
    scopes: [...key.scopes],
    environment: key.environment,
    allowed_ips: [...(key.allowed_ips ?? [])],
    expires_at: key.expires_at ?? undefined,
    active: key.active,
    last_used_at: key.last_used_at ?? undefined,
    created_at: key.created_at,
  };
}

function toIssuedApiKey({
  api_key,
  secret,
}: IssuedApiKey): proto.CreateApiKeyResponse & proto.RotateApiKeyResponse {
  return { api_key: toApiKey(api_key), secret };
}

function toAuditEvent(record: AuditRecord): proto.AuditEvent {
  return {
    id: record.id,
    at: record.at,
    actor_type: record.actor_type,
    actor_id: record.actor_id,
    action: record.action,
    target_type: record.target_type,
    target_id: record.target_id,
    environment: record.environment,
    request_id: record.request_id,
    ip: record.ip === '' ? undefined : record.ip,
    changes_json: record.changes,
  };
}
