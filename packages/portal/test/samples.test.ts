import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FoundOperation, OpenApiDocument } from '../src/openapi-document';
import { LANGUAGES, type LanguageId, sampleOf } from '../src/samples';

const DOCS = path.resolve(__dirname, '../../../docs');
const PARSE = path.join(__dirname, 'support/parse.mjs');
const GRAMMARS: Readonly<Record<LanguageId, string>> = {
  curl: 'bash',
  node: 'javascript',
  python: 'python',
  java: 'java',
  go: 'go',
  csharp: 'c-sharp',
};

const document = new OpenApiDocument(
  JSON.parse(readFileSync(path.join(DOCS, 'openapi.json'), 'utf8')),
);
const operations = document.operations();

/** Whether each is a program of the language. */
function parsed(language: LanguageId, programs: readonly string[]): boolean[] {
  const given = programs.map((code) => ({ grammar: GRAMMARS[language], code }));
  const answer = execFileSync(process.execPath, [PARSE], {
    input: JSON.stringify(given),
    encoding: 'utf8',
  });
  return JSON.parse(answer);
}

function operationOf(id: string): FoundOperation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}.`);
  return found;
}

test.each(LANGUAGES.map(({ id }) => id))(
  'in %s the sample of every operation is a program, and nonsense is none',
  (language) => {
    const codes = operations.map((operation) => sampleOf(operation, language, '/api/v1'));
    const answers = parsed(language, [...codes, `${codes[0]}\n(((`]);
    expect(codes.filter((_, at) => answers[at] !== true)).toEqual([]);
    expect(answers.at(-1)).toBe(false);
    expect(codes.length).toBeGreaterThan(50);
  },
);

test.each(LANGUAGES.map(({ id }) => id))(
  'in %s quotes, backslashes and line ends in a body leave it a program',
  (language) => {
    const body = { message: `It's "so"\\\n\`quoted\` é ✓`, flag: true, none: null, list: [1, {}] };
    const code = sampleOf(operationOf('submitContactRequest'), language, '/api/v1', { body });
    expect({ code, parsed: parsed(language, [code]) }).toEqual({ code, parsed: [true] });
  },
);

test('a sample names the operation’s path, credential, key of idempotency and body', () => {
  const operation = operationOf('reportEvent');
  for (const { id } of LANGUAGES) {
    const code = sampleOf(operation, id, '/api/v1');
    for (const part of [
      'https://credit-network.example/api/v1/accounts/',
      'Bearer svc_test_your_key',
      'loan-2026-00017-open',
      'PAYMENT_MADE',
      '8277.27',
    ]) {
      expect({ id, code }).toEqual({ id, code: expect.stringContaining(part) });
    }
  }
});

test('values are written in place of the examples', () => {
  const operation = operationOf('getCreditProfile');
  const code = sampleOf(operation, 'curl', '/api/v1', {
    base: 'http://127.0.0.1:1/api/v1',
    credential: 'svc_test_mine',
    parameters: { subject_id: 'a/b', purpose: 'COLLECTION' },
  });
  expect(code).toContain("'http://127.0.0.1:1/api/v1/credit/a%2Fb?purpose=COLLECTION'");
  expect(code).toContain('Bearer svc_test_mine');
});
