import type { Institution } from '../domain/institutions';
import { type Permission, permissionsOf } from '../domain/roles';
import type { User } from '../domain/users';

/** A user with its institution and permissions. */
export interface Profile {
  readonly user: User;
  readonly institution: Institution | undefined;
  readonly permissions: readonly Permission[];
}

/** Puts a profile together. */
export function profileOf(user: User, institution: Institution | undefined): Profile {
  return { user, institution, permissions: permissionsOf(user.role) };
}
