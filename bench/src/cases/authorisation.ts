import { SCOPES } from '@credit/platform/values';
import type { Principal } from '@credit/proto/identity/v1/identity';
import { startBenchGateway } from '../gateway';
import { createWorld, type World } from '../world';
import {
  ACCOUNTS,
  type BenchCase,
  CONNECTIONS,
  type MemberRequest,
  nth,
  type OpenCase,
  throughGateway,
} from './case';

/** What authorisation and limits cost a profile read: with identity against without it. */
export const authorisation: BenchCase = {
  name: 'authorisation',
  title: `GET a profile, credential checked and counted, ${CONNECTIONS} connections`,
  target: 0.85,
  bound_s: 45,
  open: () =>
    againstFixedPrincipal((world, number) => ({
      path: `/credit/${nth(world.accounts, number).subject_id}?purpose=ACCOUNT_REVIEW`,
    })),
};

/** The same for the lightest read that there is, where the share is largest. */
export const authorisationOfLightRead: BenchCase = {
  name: 'authorisation-light-read',
  title: `GET an account, credential checked and counted, ${CONNECTIONS} connections`,
  target: 0.85,
  bound_s: 45,
  open: () =>
    againstFixedPrincipal((world, number) => ({
      path: `/accounts/${nth(world.accounts, number).id}`,
    })),
};

/** Both sides are gateways of the same kind in front of the same services. */
async function againstFixedPrincipal(
  next: (world: World, number: number) => MemberRequest,
): Promise<OpenCase> {
  const world = await createWorld(ACCOUNTS);
  const stops = [() => world.stop()];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const through = async (principal?: Principal) => {
      const gateway = await startBenchGateway(world.system, principal);
      stops.push(() => gateway.stop());
      const system = { ...world.system, base_url: gateway.base_url };
      return throughGateway({ ...world, system }, (number) => next(world, number));
    };
    return {
      contest: {
        unit: 'requests',
        limit_name: 'the same route through a gateway with a fixed principal, nothing counted',
        system: await through(),
        limit: await through(await principalOf(world)),
      },
      output: () => world.system.output(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What identity would say of the world's key. */
async function principalOf({ member }: World): Promise<Principal> {
  const me = await member.key.get('/auth/me');
  return {
    is_api_key: true,
    id: me.id,
    institution_id: member.institution_id,
    institution_status: 'ACTIVE',
    environment: me.environment,
    scopes: [...SCOPES],
    role: 'UNSPECIFIED',
    platform_role: 'UNSPECIFIED',
    permissions: [],
    test_permissions: [],
    must_change_password: false,
    must_set_second_factor: false,
    session_id: '',
    is_person: false,
  };
}
