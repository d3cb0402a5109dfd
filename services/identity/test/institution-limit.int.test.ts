import { makeKey, makeMember, useIdentity } from './support/identity';

const identity = useIdentity();

test('an institution has at most 100 active keys in an environment, made one by one or at once', async () => {
  const { owner } = await makeMember(identity.stub, identity.admin);
  const make = (environment: 'live' | 'test') => makeKey(identity.stub, owner, { environment });
  for (let made = 0; made < 96; made += 1) await make('live');
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => make('live')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  await expect(make('live')).rejects.toMatchObject({ code: 'INVALID_STATE_TRANSITION' });
  expect((await make('test')).secret).toMatch(/^svc_test_/);
}, 60_000);
