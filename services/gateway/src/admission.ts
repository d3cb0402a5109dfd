import { type Access, isOpenTo, type Owed } from '@credit/contract';
import type { Environment } from '@credit/platform/context';
import { AppError, type Reason, rateLimited, unauthenticated } from '@credit/platform/errors';
import type { Permission } from '@credit/platform/values';
import {
  type AuthorizeResult,
  CredentialState,
  InstitutionStatus,
  PlatformRole,
  type Principal,
  RefusalReason,
} from '@credit/proto/identity/v1/identity';

/** Who may call what is for members. */
type MemberAccess = Omit<Extract<Access, { readonly kind: 'scope' }>, 'kind'>;

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
  environment: Environment,
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
  const refusal = refusalOf(access, principal, result.address_allowed, environment);
  if (refusal !== undefined) throw new Refused(principal, refusal);
  return principal;
}

const NEEDS_USER: Refusal = {
  reason: 'CREDENTIAL_KIND',
  message: 'This takes the session of a user, not an API key.',
  logged: RefusalReason.ROLE,
};
const NOT_FOR_PERSONS: Refusal = {
  reason: 'CREDENTIAL_KIND',
  message: 'A person’s session is for the own file alone.',
  logged: RefusalReason.ROLE,
};
const NEEDS_PERSON: Refusal = {
  reason: 'CREDENTIAL_KIND',
  message: 'This takes the session of the person whom the record is about.',
  logged: RefusalReason.ROLE,
};
const NEEDS_MEMBER: Refusal = {
  reason: 'NO_INSTITUTION',
  message: 'This is for members: a user of the network alone reads and reports no records.',
  logged: RefusalReason.ROLE,
};

const OWING: Readonly<Record<Owed, Refusal>> = {
  password: {
    reason: 'PASSWORD_CHANGE_REQUIRED',
    message: 'The temporary password must be changed first.',
    logged: RefusalReason.PASSWORD,
  },
  second_factor: {
    reason: 'SECOND_FACTOR_REQUIRED',
    message: 'A second factor must be set up first.',
    logged: RefusalReason.SECOND_FACTOR,
  },
};

/** What a user has to do before anything else; one thing at a time. */
function owedBy({ must_change_password, must_set_second_factor }: Principal): Owed | undefined {
  if (must_change_password) return 'password';
  return must_set_second_factor ? 'second_factor' : undefined;
}

function refusalOf(
  access: Access,
  principal: Principal,
  address_allowed: boolean,
  environment: Environment,
): Refusal | undefined {
  if (principal.is_person) return access.kind === 'person' ? undefined : NOT_FOR_PERSONS;
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
  const owed = owedBy(principal);
  if (owed !== undefined && !isOpenTo(access, owed)) return OWING[owed];
  switch (access.kind) {
    case 'public':
    case 'token':
    case 'any':
      return undefined;
    case 'person':
      return NEEDS_PERSON;
    case 'scope':
      return lackingMember(access, principal, environment) ?? otherData(access, environment);
    case 'user': {
      const { permission } = access;
      if (principal.is_api_key)
        return { ...NEEDS_USER, ...(permission && { required: permission }) };
      return permission === undefined
        ? undefined
        : lackingPermission(permission, principal, environment);
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

/** Both ways in of members: a key by its scope, a user by the permission. */
function lackingMember(
  { scope, permission }: MemberAccess,
  principal: Principal,
  environment: Environment,
): Refusal | undefined {
  if (!principal.is_api_key) {
    return principal.institution_id === ''
      ? { ...NEEDS_MEMBER, required: permission }
      : lackingPermission(permission, principal, environment);
  }
  if (principal.scopes.includes(scope)) return undefined;
  const message = `The key lacks the scope ${scope}.`;
  return { reason: 'SCOPE', message, required: scope, logged: RefusalReason.SCOPE };
}

function otherData({ environment }: MemberAccess, acts_on: Environment): Refusal | undefined {
  if (environment === undefined || acts_on === environment) return undefined;
  return {
    reason: 'TEST_KEYS_ONLY',
    message: 'The sandbox takes test keys, and users who ask for test; this is for live data.',
    logged: RefusalReason.ENVIRONMENT,
  };
}

/** 403 of a member that lacks what only some bodies of an operation need. */
export function requireMember(
  access: MemberAccess,
  principal: Principal | undefined,
  environment: Environment,
): void {
  if (principal === undefined) throw unauthenticated();
  const refusal = lackingMember(access, principal, environment);
  if (refusal !== undefined) throw new Refused(principal, refusal);
}

function lackingPermission(
  permission: Permission,
  { permissions, test_permissions }: Principal,
  environment: Environment,
): Refusal | undefined {
  if (permissions.includes(permission)) return undefined;
  if (!test_permissions.includes(permission)) {
    return lacksRole(permission, `The user's role lacks the permission ${permission}.`);
  }
  return environment === 'test'
    ? undefined
    : lacksRole(permission, `The user's role has the permission ${permission} on test data alone.`);
}

function lacksRole(required: string, message: string): Refusal {
  return { reason: 'ROLE', message, required, logged: RefusalReason.ROLE };
}

function holds(role: PlatformRole, needed: 'PLATFORM_ADMIN' | 'SVC_SUPERADMIN'): boolean {
  if (role === PlatformRole.SVC_SUPERADMIN) return true;
  return role === PlatformRole.PLATFORM_ADMIN && needed === 'PLATFORM_ADMIN';
}
