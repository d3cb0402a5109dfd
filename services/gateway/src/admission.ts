import type { Access, Scope } from '@credit/contract';
import { AppError, type Reason, rateLimited, unauthenticated } from '@credit/platform/errors';
import {
  type AuthorizeResult,
  CredentialState,
  InstitutionStatus,
  PlatformRole,
  type Principal,
  RefusalReason,
} from '@credit/proto/identity/v1/identity';

/** What is refused: for the caller, whose credential is good, and for the audit log. */
interface Refusal {
  readonly reason: Reason;
  readonly message: string;
  /** The scope, permission or role that is missing. */
  readonly required?: string;
  readonly logged: RefusalReason;
}

/** 403, of a credential that is known and good: it tells its holder nothing that is not its own. */
export class Refused extends AppError {
  readonly principal: Principal;
  readonly refusal: RefusalReason;

  constructor(principal: Principal, { message, reason, required, logged }: Refusal) {
    super('INSUFFICIENT_SCOPE', message, { reason, required });
    this.principal = principal;
    this.refusal = logged;
  }
}

const BEARER = /^bearer(?: |$)/i;

/** 401: says whether there was a credential at all, and nothing about one that there was. */
export function lacking(authorization: string | undefined): AppError {
  if (authorization === undefined) {
    return unauthenticated('The request has no credential.', 'NO_CREDENTIAL');
  }
  return BEARER.test(authorization)
    ? unauthenticated()
    : unauthenticated('The Authorization header must be Bearer and a credential.', 'NOT_BEARER');
}

/**
 * Lets a call in or throws, in the fixed order 401, 429, 403. Who has no credential that is known has
 * the limit of its address: what comes over that is not worth a 401 any more.
 */
export function admit(
  access: Access,
  result: AuthorizeResult,
  authorization: string | undefined,
  now_ms: number,
): Principal | undefined {
  const { principal, rate } = result;
  // A token is looked at by the service that gave it out.
  const is_public = access.kind === 'public' || access.kind === 'token';
  const is_valid = result.state === CredentialState.VALID && principal !== undefined;
  const is_unknown = result.state === CredentialState.ABSENT;
  if (!is_public && !is_valid && !(is_unknown && rate?.exceeded)) throw lacking(authorization);
  if (rate?.exceeded) {
    const wait_s = Math.max(1, Number(rate.reset_s) - Math.floor(now_ms / 1_000));
    throw rateLimited('The rate limit is reached; wait until X-RateLimit-Reset.', wait_s);
  }
  if (is_public || principal === undefined) return undefined;
  const refusal = refusalOf(access, principal, result.address_allowed);
  if (refusal !== undefined) throw new Refused(principal, refusal);
  return principal;
}

const NEEDS_KEY: Refusal = {
  reason: 'CREDENTIAL_KIND',
  message: 'This takes an API key, not the session of a user.',
  logged: RefusalReason.ROLE,
};
const NEEDS_USER: Refusal = {
  reason: 'CREDENTIAL_KIND',
  message: 'This takes the session of a user, not an API key.',
  logged: RefusalReason.ROLE,
};

function refusalOf(
  access: Access,
  principal: Principal,
  address_allowed: boolean,
): Refusal | undefined {
  const has_institution = principal.institution_id !== '';
  if (has_institution && principal.institution_status !== InstitutionStatus.ACTIVE) {
    return {
      reason: 'INSTITUTION_STATUS',
      message: `The institution is ${principal.institution_status}.`,
      logged: RefusalReason.INSTITUTION_STATUS,
    };
  }
  if (!address_allowed) {
    return {
      reason: 'ADDRESS',
      message: 'The key may not be used from this address.',
      logged: RefusalReason.ADDRESS,
    };
  }
  const opens_with_temporary = access.kind === 'user' && access.with_temporary_password === true;
  if (principal.must_change_password && !opens_with_temporary) {
    return {
      reason: 'PASSWORD_CHANGE_REQUIRED',
      message: 'The temporary password must be changed first.',
      logged: RefusalReason.PASSWORD,
    };
  }
  switch (access.kind) {
    case 'public':
    case 'token':
    case 'any':
      return undefined;
    case 'scope':
      if (!principal.is_api_key) return { ...NEEDS_KEY, required: access.scope };
      return lacksScope(principal, access.scope) ?? isOfOtherData(principal, access.environment);
    case 'user': {
      const { permission } = access;
      if (principal.is_api_key)
        return { ...NEEDS_USER, ...(permission && { required: permission }) };
      return permission === undefined || principal.permissions.includes(permission)
        ? undefined
        : lacksRole(permission, `The user's role lacks the permission ${permission}.`);
    }
    case 'platform':
      if (principal.is_api_key) return { ...NEEDS_USER, required: access.role };
      return holds(principal.platform_role, access.role)
        ? undefined
        : lacksRole(access.role, `This takes the platform role ${access.role}.`);
    default:
      return access satisfies never;
  }
}

function lacksScope({ scopes }: Principal, scope: Scope): Refusal | undefined {
  if (scopes.includes(scope)) return undefined;
  const message = `The key lacks the scope ${scope}.`;
  return { reason: 'SCOPE', message, required: scope, logged: RefusalReason.SCOPE };
}

function isOfOtherData(principal: Principal, environment?: string): Refusal | undefined {
  if (environment === undefined || principal.environment === environment) return undefined;
  return {
    reason: 'TEST_KEYS_ONLY',
    message: 'The sandbox takes test keys only; this key is for live data.',
    logged: RefusalReason.ENVIRONMENT,
  };
}

/** 403 of a key without a scope that only some bodies of an operation need. */
export function requireScope(principal: Principal | undefined, scope: Scope): void {
  if (principal === undefined) throw unauthenticated();
  const refusal = lacksScope(principal, scope);
  if (refusal !== undefined) throw new Refused(principal, refusal);
}

function lacksRole(required: string, message: string): Refusal {
  return { reason: 'ROLE', message, required, logged: RefusalReason.ROLE };
}

function holds(role: PlatformRole, needed: 'PLATFORM_ADMIN' | 'SVC_SUPERADMIN'): boolean {
  if (role === PlatformRole.SVC_SUPERADMIN) return true;
  return role === PlatformRole.PLATFORM_ADMIN && needed === 'PLATFORM_ADMIN';
}
