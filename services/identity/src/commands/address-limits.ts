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
  return limitsOf(door, by, { limit: config.LOGIN_FAILURES_PER_ADDRESS, window_s: WINDOW_S });
}

/** The limits of one address, and of its site, for something that is told apart by its name. */
export function limitsOf(
  name: string,
  { place, site }: { readonly place: string; readonly site: string | undefined },
  { limit, window_s }: Omit<Limit, 'subject'>,
): Limit[] {
  const of_address = { subject: `${name} address ${place}`, limit, window_s };
  if (site === undefined) return [of_address];
  const of_site = { subject: `${name} site ${site}`, limit: limit * ADDRESSES_OF_SITE, window_s };
  return [of_address, of_site];
}
