import { Client, enrol, logIn, type Member } from '@credit/local/demo/client';
import type { System } from '@credit/local/spawned-system';

/** Who takes part in a journey. */
export interface Company<Name extends string> {
  readonly anonymous: Client;
  /** The first superadmin's session. */
  readonly administrator: Client;
  /** Institutions with an owner and a key each, by the names that they were asked by. */
  readonly members: Readonly<Record<Name, Member>>;
}

/** Signs the administrator in and lets institutions join: `members` are their names in the network. */
export async function company<Name extends string>(
  { base_url, superadmin: { email, password } }: Pick<System, 'base_url' | 'superadmin'>,
  members: Readonly<Record<Name, string>>,
): Promise<Company<Name>> {
  const anonymous = new Client(base_url);
  const administrator = await logIn(anonymous, email, password);
  const joined: Partial<Record<Name, Member>> = {};
  for (const [name, called] of Object.entries<string>(members)) {
    joined[name as Name] = await enrol(anonymous, administrator, called);
  }
  // Each of them has just joined.
  return { anonymous, administrator, members: joined as Record<Name, Member> };
}
