// `npm run model-report [-- loans.csv]` writes the figures of each version to docs/model, from the
// simulation and from the real loans that are part of the project. With a file it prints the
// figures of those loans instead.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CURRENT_MODEL, MODELS } from '@credit/scoring/domain/model/index';
import { readLoans } from './loans';
import { asMarkdown, loanFigures, modelReport, reportFile } from './report';

const ROOT = path.resolve(__dirname, '../../../..');

const [loans_file] = process.argv.slice(2);
if (loans_file !== undefined) {
  const loans = readLoans(readFileSync(loans_file, 'utf8'));
  console.log(asMarkdown(CURRENT_MODEL, [loanFigures(CURRENT_MODEL, loans)]));
} else {
  for (const model of MODELS) {
    writeFileSync(path.join(ROOT, reportFile(model)), modelReport(model, ROOT));
    console.log(`Written: ${reportFile(model)}`);
  }
}
