import type { Config } from '../config';
import type { Limit } from './password-guard';

const WINDOW_S = 5 * 60;
/** A site of IPv6 has as many addresses as it likes, and is allowed as much as so many. */
const ADDRESSES_OF_SITE = 4;

/** What one address, and its site, may try at a door of people: as many failures as at signing in. */
export function addressLimits(
  config: Pick<Config, 'LOGIN_FAILURES_PER_ADDRESS'>,
  door: 'sign-in' | 'reset',
  by: { readonly place: string; readonly site: string | undefined },
): Limit[] {
  const { place, site } = by;
  const per_address = config.LOGIN_FAILURES_PER_ADDRESS;
  const of_address = {
    subject: `${door} address ${place}`,
    limit: per_address,
    window_s: WINDOW_S,
  };
  if (site === undefined) return [of_address];
  const limit = per_address * ADDRESSES_OF_SITE;
  return [of_address, { subject: `${door} site ${site}`, limit, window_s: WINDOW_S }];
}
