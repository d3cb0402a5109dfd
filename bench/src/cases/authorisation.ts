import { SCOPES } from '@credit/platform/values';
import type { Principal } from '@credit/proto/identity/v1/identity';
import { startBenchGateway } from '../gateway';
import { fieldOf } from '../interleave';
import type { World } from '../world';
import { type BenchCase, CONNECTIONS, look, nth, sharedWorld, throughGateway } from './case';

const READS = [
  {
    name: 'authorisation',
    title: `GET a profile, credential checked and counted, ${CONNECTIONS} connections`,
    next: ({ accounts }: World, number: number) => look(nth(accounts, number).subject_id),
  },
  // The lightest read that there is, where the share is largest.
  {
    name: 'authorisation-light-read',
    title: `GET an account, credential checked and counted, ${CONNECTIONS} connections`,
    next: ({ accounts }: World, number: number) => ({
      path: `/accounts/${nth(accounts, number).id}`,
    }),
  },
] as const;

/**
 * What authorisation and limits cost, with identity against without it. Both sides are gateways of the
 * same kind in front of the same services.
 */
export const authorisation: BenchCase = {
  name: 'authorisation',
  title: 'Reads, credential checked and counted',
  bound_s: 48,
  shares_world: true,
  async open() {
    const world = await sharedWorld();
    const stops = [() => world.stop()];
    const stop = async () => {
      for (const one of stops.toReversed()) await one();
    };
    const through = async (principal?: Principal): Promise<World> => {
      const gateway = await startBenchGateway(world.system, principal);
      stops.push(() => gateway.stop());
      return { ...world, system: { ...world.system, base_url: gateway.base_url } };
    };
    try {
      const counted = await through();
      const fixed = await through(await principalOf(world));
      return {
        contest: fieldOf(
          ...READS.map(({ name, title, next }) => ({
            ...{ name, title, target: 0.9, unit: 'requests' },
            limit_name: 'the same route through a gateway with a fixed principal, nothing counted',
            system: throughGateway(counted, (number) => next(counted, number)),
            limit: throughGateway(fixed, (number) => next(fixed, number)),
          })),
        ),
        output: () => world.system.output(),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

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
