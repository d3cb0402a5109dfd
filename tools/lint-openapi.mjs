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

const AMBIGUOUS = 'no-ambiguous-paths';
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

async function redocly() {
  const strict = { extends: ['recommended-strict'], rules: { [AMBIGUOUS]: 'off' } };
  const problems = await redoclyWith(strict, source);
  // Whether two paths can be meant by one request: the rule does not look at methods, so it is held
  // over those of each by themselves.
  const { paths, ...rest } = JSON.parse(source);
  for (const method of METHODS) {
    const of_method = Object.entries(paths ?? {})
      .filter(([, item]) => item[method] !== undefined)
      .map(([name, item]) => [name, { [method]: item[method] }]);
    const part = JSON.stringify({ ...rest, paths: Object.fromEntries(of_method) });
    problems.push(...(await redoclyWith({ rules: { [AMBIGUOUS]: 'error' } }, part)));
  }
  return problems;
}

async function redoclyWith(rules, text) {
  const config = await createConfig(rules);
  const problems = await lintFromString({
    source: text,
    absoluteRef: path.resolve(file),
    config,
  });
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
