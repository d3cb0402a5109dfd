// `npm run model-report [-- loans.csv]` writes the model's figures to docs/model, from the
// simulation and from the real loans that are part of the project. With a file it prints the
// figures of those loans instead.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readLoans } from './loans';
import { asMarkdown, loanFigures, modelReport, REPORT_FILE } from './report';

const ROOT = path.resolve(__dirname, '../../../..');

const [loans_file] = process.argv.slice(2);
if (loans_file !== undefined) {
  console.log(asMarkdown([loanFigures(readLoans(readFileSync(loans_file, 'utf8')))]));
} else {
  writeFileSync(path.join(ROOT, REPORT_FILE), modelReport(ROOT));
  console.log(`Written: ${REPORT_FILE}`);
}
