import type { Permission, PlatformRole, Scope } from '@credit/platform/values';
import type { z } from 'zod';
import { oneOf } from './wire';

/** What a user may owe before everything else is open to it. */
export type Owed = 'password' | 'second_factor';

/** Who may call an operation. */
export type Access =
  /** Anyone; a credential is not looked at. */
  | { readonly kind: 'public' }
  /** Whoever has the token that was given out with the thing; its own service checks it. */
  | { readonly kind: 'token' }
  /** For members: an API key with the scope, or a user whose role has the permission. */
  | {
      readonly kind: 'scope';
      readonly scope: Scope;
      readonly permission: Permission;
      /** On data of this environment alone. */
      readonly environment?: 'test';
    }
  /** The person whom the record is about, on that record alone. */
  | { readonly kind: 'person' }
  /** Any API key or user. */
  | {
      readonly kind: 'any';
      /** Open to a user who owes one of these. */
      readonly while_owing?: readonly Owed[];
      readonly in_environment?: true;
    }
  /** A user, with the permission when one is named. */
  | {
      readonly kind: 'user';
      readonly permission?: Permission;
      /** Open to a user who owes one of these. */
      readonly while_owing?: readonly Owed[];
      readonly in_environment?: true;
    }
  /** A user with the role on the platform. */
  | { readonly kind: 'platform'; readonly role: PlatformRole; readonly in_environment?: true };

/** Rules under which an operation can be open to who owes something. */
type Owing = Extract<Access, { readonly kind: 'any' | 'user' }>;

/** Rules under which a user chooses the environment only where the operation says so. */
type Choosable = Extract<Access, { readonly kind: 'any' | 'user' | 'platform' }>;

/**
 * What a call counts against. STANDARD: the credential's limits, or the
 * address's without one. PUBLIC_WRITE: 10 a minute and address, each operation
 * apart. BEST_EFFORT: as STANDARD, but served when counting is impossible.
 */
export type LimitClassName = 'STANDARD' | 'PUBLIC_WRITE' | 'BEST_EFFORT';

export const publicAccess: Access = { kind: 'public' };
export const withToken: Access = { kind: 'token' };
export const person: Access = { kind: 'person' };
export const anyCredential: Extract<Access, { readonly kind: 'any' }> = { kind: 'any' };
/** Both ways in of members: an API key with the scope, a user with the permission. */
export const scope = (name: Scope, permission: Permission): Access => ({
  kind: 'scope',
  scope: name,
  permission,
});
/** The same, of what there is in the test environment alone. */
export const testScope = (name: Scope, permission: Permission): Access => ({
  kind: 'scope',
  scope: name,
  permission,
  environment: 'test',
});
export const user = (permission?: Permission): Extract<Access, { readonly kind: 'user' }> => ({
  kind: 'user',
  permission,
});
export const platform = (role: PlatformRole): Choosable => ({ kind: 'platform', role });

/** The same rule, of an operation that is open to a user who owes one of these. */
export function whileOwing(access: Owing, ...while_owing: readonly Owed[]): Access {
  return { ...access, while_owing };
}

/** Whether it is open to a user who owes this. */
export function isOpenTo(access: Access, owed: Owed): boolean {
  return 'while_owing' in access && access.while_owing?.includes(owed) === true;
}

/** The same rule, of an operation in which a user chooses between live and test data. */
export function inEnvironment(access: Choosable): Access {
  return { ...access, in_environment: true };
}

/** Whether a user who calls it chooses between live and test data. */
export function choosesEnvironment(access: Access): boolean {
  switch (access.kind) {
    case 'public':
    case 'token':
    case 'person':
      return false;
    case 'scope':
      return true;
    case 'any':
    case 'user':
    case 'platform':
      return access.in_environment === true;
    default:
      return access satisfies never;
  }
}

/** The query parameter of the choice. No handler sees it: its call acts on what was chosen. */
export const ENVIRONMENT_PARAMETER = {
  environment: oneOf(
    ['live', 'test'],
    'Users: which data to act on, live when left out. A key always acts on its own.',
  ).optional(),
} as const satisfies Readonly<Record<string, z.ZodType>>;
