import type { Access } from '@credit/contract';
import { AppError, forbidden, rateLimited, unauthenticated } from '@credit/platform/errors';
import {
  type AuthorizeResult,
  CredentialState,
  InstitutionStatus,
  PlatformRole,
  type Principal,
  RefusalReason,
} from '@credit/proto/identity/v1/identity';

/** 403. Why stays inside: it would tell a stranger about the credential. */
export class Refused extends AppError {
  readonly principal: Principal;
  readonly refusal: RefusalReason;

  constructor(principal: Principal, refusal: RefusalReason) {
    super('INSUFFICIENT_SCOPE', forbidden().message);
    this.principal = principal;
    this.refusal = refusal;
  }
}

/**
 * Lets a call in or throws, in the fixed order 401, 429, 403. Who has no credential that is known has
 * the limit of its address: what comes over that is not worth a 401 any more.
 */
export function admit(
  access: Access,
  result: AuthorizeResult,
  now_ms: number,
): Principal | undefined {
  const { principal, rate } = result;
  // A token is looked at by the service that gave it out.
  const is_public = access.kind === 'public' || access.kind === 'token';
  const is_valid = result.state === CredentialState.VALID && principal !== undefined;
  const is_unknown = result.state === CredentialState.ABSENT;
  if (!is_public && !is_valid && !(is_unknown && rate?.exceeded)) throw unauthenticated();
  if (rate?.exceeded) {
    const wait_s = Math.max(1, Number(rate.reset_s) - Math.floor(now_ms / 1_000));
    throw rateLimited('The rate limit is reached; wait until X-RateLimit-Reset.', wait_s);
  }
  if (is_public || principal === undefined) return undefined;
  const reason = refusalReason(access, principal, result.address_allowed);
  if (reason !== undefined) throw new Refused(principal, reason);
  return principal;
}

function refusalReason(
  access: Access,
  principal: Principal,
  address_allowed: boolean,
): RefusalReason | undefined {
  const has_institution = principal.institution_id !== '';
  if (has_institution && principal.institution_status !== InstitutionStatus.ACTIVE) {
    return RefusalReason.INSTITUTION_STATUS;
  }
  if (!address_allowed) return RefusalReason.ADDRESS;
  const opens_with_temporary = access.kind === 'user' && access.with_temporary_password === true;
  if (principal.must_change_password && !opens_with_temporary) return RefusalReason.PASSWORD;
  switch (access.kind) {
    case 'public':
    case 'token':
    case 'any':
      return undefined;
    case 'scope':
      if (!principal.is_api_key) return RefusalReason.ROLE;
      return principal.scopes.includes(access.scope) ? undefined : RefusalReason.SCOPE;
    case 'user':
      return !principal.is_api_key &&
        (access.permission === undefined || principal.permissions.includes(access.permission))
        ? undefined
        : RefusalReason.ROLE;
    case 'platform':
      return !principal.is_api_key && holds(principal.platform_role, access.role)
        ? undefined
        : RefusalReason.ROLE;
    default:
      return access satisfies never;
  }
}

function holds(role: PlatformRole, needed: 'PLATFORM_ADMIN' | 'SVC_SUPERADMIN'): boolean {
  if (role === PlatformRole.SVC_SUPERADMIN) return true;
  return role === PlatformRole.PLATFORM_ADMIN && needed === 'PLATFORM_ADMIN';
}
