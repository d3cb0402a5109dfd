import { randomUUID } from 'node:crypto';
import { Client, enrol, logIn, type Member } from '@credit/local/demo/client';
import type { Hooks } from './hooks';
import type { Journal } from './journal';
import type { Secrets } from './secrets';
import type { Stage } from './stage';

/** Who takes part in a run. */
export interface World {
  readonly anonymous: Client;
  readonly administrator: Client;
  readonly lenders: readonly [Member, Member];
  /** Keys of the lenders for test data, of which there is none. */
  readonly test_keys: readonly [string, string];
  /** Reads files and reports nothing. */
  readonly reader: Member;
  /** Has a webhook and a stake in nothing. */
  readonly stranger: Member;
  /** What is to stand nowhere. */
  readonly secrets: Secrets;
}

const DEFAULTS = 'credit.default.reported';
const DELINQUENCIES = 'credit.delinquency.reported';

export async function makeWorld(stage: Stage, hooks: Hooks, journal: Journal): Promise<World> {
  const [first = ''] = stage.gateways;
  const anonymous = new Client(first, undefined, { patience_ms: 30_000 });
  const { email, password } = stage.system.superadmin;
  const administrator = await logIn(anonymous, email, password);
  const join = (name: string) => enrol(anonymous, administrator, name);
  const lenders = [await join('Anchor Lending'), await join('Bridge Lending')] as const;
  const reader = await join('Reader Bank');
  const stranger = await join('Stranger Bank');
  const testKey = async ({ owner }: Member): Promise<string> => {
    const key = await owner.create('/api-keys', {
      display_name: 'test',
      scopes: ['credit:report', 'credit:read'],
      environment: 'test',
    });
    return key.secret;
  };
  const test_keys = [await testKey(lenders[0]), await testKey(lenders[1])] as const;
  const subscribed: Record<string, { institution_id: string; types: string[] }> = {};
  const subscribe = async (member: Member, types: string[]): Promise<string> => {
    const hook = `/${randomUUID()}`;
    const made = await member.key.create('/webhooks', {
      url: `${hooks.url}${hook}`,
      events: types,
    });
    hooks.secrets.set(hook, made.secret);
    subscribed[hook] = { institution_id: member.institution_id, types };
    return hook;
  };
  await subscribe(lenders[0], [DEFAULTS, DELINQUENCIES]);
  await subscribe(lenders[0], [DEFAULTS]);
  await subscribe(lenders[1], [DELINQUENCIES]);
  await subscribe(reader, [DEFAULTS, DELINQUENCIES]);
  const stranger_hook = await subscribe(stranger, [DEFAULTS, DELINQUENCIES]);
  journal.write({ t: 'world', world: { hooks: subscribed, stranger_hook } });
  const { secrets } = stage;
  secrets.add('the password of the administrator', password);
  secrets.add('the session of the administrator', administrator.token);
  for (const { key, owner } of [...lenders, reader, stranger]) {
    secrets.add('the key of a member', key.token);
    secrets.add('the session of an owner', owner.token);
  }
  for (const key of test_keys) secrets.add('a key for test data', key);
  for (const secret of hooks.secrets.values()) secrets.add('a signing secret', secret);
  return { anonymous, administrator, lenders, test_keys, reader, stranger, secrets };
}
