import { type Permitted, permittedTo } from '@credit/platform/values';
import type { Institution } from '../domain/institutions';
import type { User } from '../domain/users';

/** A user with its institution and what it may do in it. */
export interface Profile extends Permitted {
  readonly user: User;
  readonly institution: Institution | undefined;
}

/** Puts a profile together. */
export function profileOf(user: User, institution: Institution | undefined): Profile {
  return { user, institution, ...permittedTo(user.role) };
}
