import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { GENERAL_REASONS, REASONS, type Reason } from '@credit/platform/errors';
import type { Operation } from './operation';
import { errorsOf } from './operation-errors';
import { operations } from './operations';
import { ERROR_REASONS, reasonsOf } from './reasons';

const ROOT = path.resolve(__dirname, '../../..');
/** Where reasons are only listed. */
const LISTS = /packages\/(?:platform\/src\/errors|contract\/src)\//;
/** Of what is no operation. */
const ELSEWHERE: readonly string[] = ['NO_ROUTE', 'NO_PAGE', 'FORGED_FORM', 'ID_REUSED'];

/** The sources that may give an error: of every service and package, without tests. */
function sources(): string[] {
  return ['services', 'packages'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).flatMap((name) => {
      const directory = path.join(ROOT, folder, name, 'src');
      return readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => path.join(directory, file))
        .filter((file) => !LISTS.test(file));
    }),
  );
}

test('every reason of the catalogue is given by the code', () => {
  const texts = sources().map((file) => readFileSync(file, 'utf8'));
  const general: readonly string[] = Object.values(GENERAL_REASONS);
  const unknown = Object.keys(REASONS).filter(
    (name) => !general.includes(name) && !texts.some((text) => text.includes(`'${name}'`)),
  );
  expect(unknown).toEqual([]);
});

test.each(Object.keys(ERROR_REASONS) as Reason[])(
  '%s is explained, and belongs to operations that declare its code',
  (name) => {
    const able = (Object.values(operations) as unknown as Operation[]).filter((operation) =>
      reasonsOf(operation).includes(name),
    );
    expect(able.length === 0).toBe(ELSEWHERE.includes(name));
    for (const operation of able) expect(errorsOf(operation)).toContain(REASONS[name]);
    const { cause, cure } = ERROR_REASONS[name];
    for (const sentence of [cause, cure]) expect(sentence).toMatch(/^[A-Z`].*\.$/);
  },
);
