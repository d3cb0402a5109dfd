// `node tools/lint-openapi.mjs FILE` holds an OpenAPI document against the strict rules of two
// linters: Redocly's recommended-strict, and every rule that Spectral has for OpenAPI. Prints each
// problem, warnings too, and fails when there is one.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const [file = 'docs/openapi.json'] = process.argv.slice(2);
const source = readFileSync(file, 'utf8');

async function redocly() {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: path.resolve(file), config });
  return problems.map(
    ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
}

async function spectralAll() {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, 'all']] });
  const problems = await linter.run(JSON.parse(source));
  return problems.map(
    ({ code, message, path: steps }) => `spectral ${code} ${steps.join('/')}: ${message}`,
  );
}

const problems = [...(await redocly()), ...(await spectralAll())];
for (const problem of problems) console.log(problem);
console.log(`${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
