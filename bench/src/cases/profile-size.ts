import { randomUUID } from 'node:crypto';
import type { World } from '../world';
import { type BenchCase, inWorld, nth, throughGateway } from './case';

const LARGE = 500;
const SMALL = 5;
/** Several, so that not every caller waits for the lock of the one. */
const SUBJECTS = 3;
const MONTHS = 6;
const CONNECTIONS = 8;
const ACCOUNTS_A_CALL = 100;

/** Reads of subjects with many accounts against reads of subjects with few. */
function profileSize(about: {
  readonly name: string;
  readonly how: string;
  readonly environment: Record<string, string>;
}): BenchCase {
  return {
    name: about.name,
    title: `GET a profile of ${LARGE} accounts, ${about.how}, ${CONNECTIONS} connections`,
    // At most one and a half times the cost.
    target: 1 / 1.5,
    bound_s: 44,
    open: inWorld(
      async (world) => {
        const large = await subjectsOf(world, LARGE);
        const small = await subjectsOf(world, SMALL);
        const reads = (subjects: readonly string[]) =>
          throughGateway(
            world,
            (number) => ({ path: `/credit/${nth(subjects, number)}?purpose=ACCOUNT_REVIEW` }),
            CONNECTIONS,
          );
        return {
          unit: 'profiles',
          limit_name: `the same of ${SMALL} accounts`,
          system: reads(large),
          limit: reads(small),
        };
      },
      { accounts: 1, environment: about.environment },
    ),
  };
}

export const profileSizes: readonly BenchCase[] = [
  profileSize({ name: 'profile-size', how: 'as it runs', environment: {} }),
  profileSize({
    name: 'profile-size-cold',
    how: 'worked out anew each time',
    environment: { SCORING_PROFILES_KEPT: '0' },
  }),
];

/** Makes subjects of so many accounts, each with half a year of payments and some lateness. */
async function subjectsOf({ member }: World, accounts: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < SUBJECTS; number += 1) {
    const { id } = await member.key.create('/subjects', {
      type: 'INDIVIDUAL',
      game_uuid: randomUUID(),
      current_username: `size-${randomUUID()}`,
    });
    for (let done = 0; done < accounts; done += ACCOUNTS_A_CALL) {
      await openSome(member.key, id, done, Math.min(ACCOUNTS_A_CALL, accounts - done));
    }
    ids.push(id);
  }
  return ids;
}

async function openSome(
  key: World['member']['key'],
  subject_id: string,
  first: number,
  count: number,
): Promise<void> {
  const opened = await key.create(
    '/accounts/bulk',
    {
      accounts: Array.from({ length: count }, (_unused, index) => ({
        subject_id,
        external_account_id: `size-${randomUUID()}`,
        account_type: (first + index) % 3 === 0 ? 'CREDIT_CARD' : 'TERM_LOAN',
        original_principal: 5000,
        opened_at: '2024-01-01T00:00:00Z',
      })),
    },
    randomUUID(),
  );
  for (let month = 1; month <= MONTHS; month += 1) {
    await key.create(
      '/events/bulk',
      {
        events: opened.accounts.map((account: { id: string }, index: number) => ({
          credit_account_id: account.id,
          event_type: (first + index + month) % 20 === 0 ? 'PAYMENT_LATE' : 'PAYMENT_MADE',
          occurred_at: `2025-0${month}-01T00:00:00Z`,
          amount: 100,
          balance_after: 5000 - 100 * month,
        })),
      },
      randomUUID(),
    );
  }
}
