import type { CallContext } from '@credit/platform/context';
import { unauthenticated } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import type { ApiKey } from '../domain/api-keys';
import type { Institution } from '../domain/institutions';
import { findApiKey } from '../store/api-keys';
import { findInstitution } from '../store/institutions';
import { findUser } from '../store/users';
import { type Profile, profileOf } from './profile';

/** Who is calling. */
export type Caller =
  | { readonly type: 'user'; readonly profile: Profile }
  | {
      readonly type: 'api_key';
      readonly api_key: ApiKey;
      readonly institution: Institution | undefined;
    };

/** The calling user or key. */
export async function readCaller(
  deps: Pick<Dependencies, 'config' | 'db'>,
  ctx: CallContext,
): Promise<Caller> {
  const on = deps.db.read(ctx);
  switch (ctx.actor.type) {
    case 'user': {
      const user = await findUser(on, ctx.actor.id);
      if (user === undefined) throw unauthenticated();
      const { institution_id } = user;
      const institution =
        institution_id === undefined ? undefined : await findInstitution(on, institution_id);
      return { type: 'user', profile: profileOf(deps, user, institution) };
    }
    case 'api_key': {
      const api_key = await findApiKey(on, ctx.actor.id);
      if (api_key === undefined) throw unauthenticated();
      const institution = await findInstitution(on, api_key.institution_id);
      return { type: 'api_key', api_key, institution };
    }
    case 'person':
    case 'system':
    case 'anonymous':
      throw unauthenticated();
    default:
      return ctx.actor.type satisfies never;
  }
}
