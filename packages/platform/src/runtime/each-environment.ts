import type { Environment } from '../context';

/**
 * The turn of background work that does the same in each environment; true when there may be more in
 * any of them. What is stopping begins no further one.
 */
export async function eachEnvironment(
  environments: readonly Environment[],
  isStopping: () => boolean,
  work: (environment: Environment) => Promise<boolean>,
): Promise<boolean> {
  let more = false;
  for (const environment of environments) {
    if (isStopping()) return false;
    more = (await work(environment)) || more;
  }
  return more;
}
