/** What an API key may be allowed to do. */
export const SCOPES = [
  'credit:read',
  'credit:report',
  'accounts:write',
  'events:write',
  'reports:request',
  'webhooks:manage',
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a user's role may allow. */
export const PERMISSIONS = [
  'api_keys.create',
  'api_keys.read',
  'api_keys.revoke',
  'institution.users.manage',
  'audit.read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Roles on the platform; a SVC_SUPERADMIN is a PLATFORM_ADMIN too. */
export type PlatformRoleName = 'PLATFORM_ADMIN' | 'SVC_SUPERADMIN';

/** Who may call an operation. */
export type Access =
  /** Anyone; a credential is not looked at. */
  | { readonly kind: 'public' }
  /** Whoever has the token that was given out with the thing; its own service checks it. */
  | { readonly kind: 'token' }
  /** An API key with the scope. */
  | {
      readonly kind: 'scope';
      readonly scope: Scope;
      /** Keys of this environment alone. */
      readonly environment?: 'test';
    }
  /** Any API key or user. */
  | { readonly kind: 'any' }
  /** A user, with the permission when one is named. */
  | {
      readonly kind: 'user';
      readonly permission?: Permission;
      /** Open to a user who must change a temporary password first. */
      readonly with_temporary_password?: true;
    }
  /** A user with the role on the platform. */
  | { readonly kind: 'platform'; readonly role: PlatformRoleName };

/**
 * What a call counts against. STANDARD: the credential's limits, or the
 * address's without one. PUBLIC_WRITE: 10 a minute and address, each operation
 * apart. BEST_EFFORT: as STANDARD, but served when counting is impossible.
 */
export type LimitClassName = 'STANDARD' | 'PUBLIC_WRITE' | 'BEST_EFFORT';

export const publicAccess: Access = { kind: 'public' };
export const withToken: Access = { kind: 'token' };
export const anyCredential: Access = { kind: 'any' };
export const scope = (name: Scope): Access => ({ kind: 'scope', scope: name });
export const testScope = (name: Scope): Access => ({
  kind: 'scope',
  scope: name,
  environment: 'test',
});
export const user = (permission?: Permission): Access => ({ kind: 'user', permission });
export const platform = (role: PlatformRoleName): Access => ({ kind: 'platform', role });
