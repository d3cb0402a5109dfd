import { faultsOf, PAGE } from '../../../tools/packages.cjs';

const page = (...lines: string[]) =>
  ['| Package | What for |', '| ------- | -------- |', ...lines].join('\n');

it('wants a reason for each package', () => {
  const said = page('| `pg` | Speaks to PostgreSQL. |', '| `@types/*` (two) | Types. |');
  expect(faultsOf(said, ['pg', '@types/pg', '@types/node'])).toEqual([]);
  expect(faultsOf(said, ['pg', '@types/pg', 'left-pad'])).toEqual([
    `${PAGE} does not say what left-pad is for.`,
  ]);
});

it('wants a package for each reason', () => {
  const said = page('| `pg` | Speaks to PostgreSQL. |', '| `@types/*` | Types. |');
  expect(faultsOf(said, ['pg'])).toEqual([`${PAGE} explains @types/*, which no manifest names.`]);
});

it('wants the reason to be said', () => {
  expect(faultsOf(page('| `pg` | |'), ['pg'])).toEqual([`${PAGE} gives pg no reason.`]);
});
