import { type Permitted, permittedTo } from '@credit/platform/values';
import type { Config } from '../config';
import type { Institution } from '../domain/institutions';
import { mustSetSecondFactor } from '../domain/second-factors';
import type { User } from '../domain/users';

/** A user with its institution and what it may do in it. */
export interface Profile extends Permitted {
  readonly user: User;
  readonly institution: Institution | undefined;
  readonly must_set_second_factor: boolean;
}

/** Puts a profile together. */
export function profileOf(
  { config }: { readonly config: Pick<Config, 'REQUIRE_SECOND_FACTOR'> },
  user: User,
  institution: Institution | undefined,
): Profile {
  const must_set_second_factor = mustSetSecondFactor(config.REQUIRE_SECOND_FACTOR, user);
  return { user, institution, ...permittedTo(user.role), must_set_second_factor };
}
