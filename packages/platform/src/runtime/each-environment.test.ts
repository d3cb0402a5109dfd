import { eachEnvironment } from './each-environment';

const BOTH = ['live', 'test'] as const;

test('each has its turn, and one of them with more is enough', async () => {
  const seen: string[] = [];
  const work = async (environment: string) => {
    seen.push(environment);
    return environment === 'live';
  };
  expect(await eachEnvironment(BOTH, () => false, work)).toBe(true);
  expect(seen).toEqual(['live', 'test']);
  expect(await eachEnvironment(['test'], () => false, work)).toBe(false);
});

test('what is stopping begins no further one, and says that there is no more', async () => {
  const seen: string[] = [];
  const work = async (environment: string) => seen.push(environment) > 0;
  expect(await eachEnvironment(BOTH, () => seen.length > 0, work)).toBe(false);
  expect(seen).toEqual(['live']);
});
