import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ConfigError, loadConfig } from '.';

const schema = z.object({ SIGNING_KEY: z.string().min(3), PREVIOUS: z.string().optional() });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const name = path.join(folder, 'value');
  writeFileSync(name, text);
  return name;
}

it('takes a value from the file that is named, without the end of its line', () => {
  expect(loadConfig(schema, { SIGNING_KEY_FILE: file('abc=\n') })).toEqual({ SIGNING_KEY: 'abc=' });
  const piped = schema.transform(({ SIGNING_KEY }) => SIGNING_KEY.length);
  expect(loadConfig(piped, { SIGNING_KEY_FILE: file('abcd') })).toBe(4);
});

it('takes a file that is not there, or empty, for a variable that is not set', () => {
  const missing = path.join(folder, 'nothing');
  expect(loadConfig(schema, { SIGNING_KEY: 'abc', PREVIOUS_FILE: missing })).toEqual({
    SIGNING_KEY: 'abc',
  });
  expect(loadConfig(schema, { SIGNING_KEY: 'abc', PREVIOUS_FILE: file('\n') })).toEqual({
    SIGNING_KEY: 'abc',
  });
  expect(() => loadConfig(schema, { SIGNING_KEY_FILE: missing })).toThrow('SIGNING_KEY');
});

it('refuses a value that is there twice, and shows none', () => {
  const both = { SIGNING_KEY: 'abc', SIGNING_KEY_FILE: file('secret') };
  expect(() => loadConfig(schema, both)).toThrow(ConfigError);
  expect(() => loadConfig(schema, both)).toThrow('set twice');
  expect(() => loadConfig(schema, { SIGNING_KEY_FILE: file('no') })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('no\n') }),
  );
  expect(() => loadConfig(schema, { SIGNING_KEY_FILE: folder })).toThrow('cannot be read');
});
