import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CURRENT_MODEL, MODELS, type ModelInput } from '../../src/domain/model';

// Facts and what each version makes of them. Another profile for the same facts is another model
// version with a file of its own; UPDATE_GOLDEN=1 writes the one of the version in force anew while
// it is being made.
const fileOf = (version: string) => path.join(__dirname, 'golden', `${version}.json`);

interface Case {
  readonly name: string;
  readonly input: unknown;
  readonly profile: unknown;
}

/** Amounts are texts in the file: JSON has no bigint. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part) =>
      typeof part === 'bigint' ? String(part) : (part ?? null),
    ),
  );
}

function revive(input: unknown): ModelInput {
  return JSON.parse(JSON.stringify(input), (key, part) =>
    key.endsWith('_minor') && typeof part === 'string' ? BigInt(part) : (part ?? undefined),
  );
}

const casesOf = (version: string): Case[] => JSON.parse(readFileSync(fileOf(version), 'utf8'));

if (process.env['UPDATE_GOLDEN'] === '1') {
  const renewed = casesOf(CURRENT_MODEL.version).map(({ name, input }) => ({
    name,
    input,
    profile: plain(CURRENT_MODEL.profile(revive(input))),
  }));
  writeFileSync(fileOf(CURRENT_MODEL.version), `${JSON.stringify(renewed, null, 2)}\n`);
}

describe.each(MODELS)('golden profiles of $version', (model) => {
  const cases = casesOf(model.version);

  test('cover every band and every reason but the rarest', () => {
    const text = JSON.stringify(cases.map(({ profile }) => profile));
    for (const band of ['EXCEPTIONAL', 'VERY_GOOD', 'GOOD', 'FAIR', 'POOR', 'NOT_RATED']) {
      expect(text).toContain(`"${band}"`);
    }
    for (const code of ['PH01', 'PH02', 'PH03', 'PH04', 'PH05', 'PH06', 'UT01', 'UT02', 'AG01']) {
      expect(text).toContain(`"${code}"`);
    }
    for (const code of ['AG02', 'MX01', 'NC01', 'NC02', 'TF01', 'NF01', 'NF02', 'PS01', 'PS02']) {
      expect(text).toContain(`"${code}"`);
    }
  });

  test.each(cases)('$name', ({ input, profile }) => {
    expect(plain(model.profile(revive(input)))).toEqual(profile);
  });
});
