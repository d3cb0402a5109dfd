import type { CallContext } from '@credit/platform/context';
import { rateLimited } from '@credit/platform/errors';
import type { Dependencies } from '../dependencies';
import {
  type AttemptCounter,
  countAttempt,
  forgetAttempts,
  giveBackAttempts,
} from '../store/attempts';

const ACCOUNT_WINDOW_S = 15 * 60;
const ADDRESS_WINDOW_S = 5 * 60;

/**
 * Runs an attempt at a password within what the account and the address have left.
 * `attempt` returns undefined when the password was wrong. Unknown accounts count
 * as known ones do.
 */
export async function guarded<T>(
  deps: Dependencies,
  ctx: CallContext,
  by: { email_key: string; place: string },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const account: AttemptCounter = {
    subject: `account ${by.email_key}`,
    limit: deps.config.LOGIN_FAILURES_PER_ACCOUNT,
    window_s: ACCOUNT_WINDOW_S,
  };
  const address: AttemptCounter = {
    subject: `address ${by.place}`,
    limit: deps.config.LOGIN_FAILURES_PER_ADDRESS,
    window_s: ADDRESS_WINDOW_S,
  };
  // Outside any transaction: a failure must stay counted.
  const on = deps.db.read(ctx);
  const wait_s = await countAttempt(on, [account, address]);
  if (wait_s !== undefined) {
    throw rateLimited('There were too many failed attempts; try again later.', wait_s);
  }
  let result: T | undefined;
  try {
    result = await attempt();
  } catch (error) {
    // It was never decided.
    await giveBackAttempts(on, [account.subject, address.subject]);
    throw error;
  }
  if (result !== undefined) {
    await forgetAttempts(on, account.subject);
    await giveBackAttempts(on, [address.subject]);
  }
  return result;
}
