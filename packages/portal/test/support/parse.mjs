// Reads a list of {grammar, code} and answers for each whether it is a program of its language. A
// process of its own, because the parser's loader imports in a way that jest does not allow.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const { Language, Parser } = require('@vscode/tree-sitter-wasm');
const library = path.dirname(require.resolve('@vscode/tree-sitter-wasm'));

await Parser.init();
const parsers = new Map();
async function parserOf(grammar) {
  const known = parsers.get(grammar);
  if (known !== undefined) return known;
  const parser = new Parser();
  const file = path.join(library, `tree-sitter-${grammar}.wasm`);
  parser.setLanguage(await Language.load(readFileSync(file)));
  parsers.set(grammar, parser);
  return parser;
}

const answers = [];
for (const { grammar, code } of JSON.parse(readFileSync(0, 'utf8'))) {
  const tree = (await parserOf(grammar)).parse(code);
  answers.push(!tree.rootNode.hasError);
  tree.delete();
}
process.stdout.write(JSON.stringify(answers));
