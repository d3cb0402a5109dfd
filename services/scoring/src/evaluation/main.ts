// `npm run evaluate -w services/scoring [-- loans.csv]`: prints the model's figures.

import { readFileSync } from 'node:fs';
import { readLoans } from './loans';
import { asMarkdown, loanFigures, simulationFigures } from './report';

const [loans_file] = process.argv.slice(2);
const figures = [simulationFigures()];
if (loans_file !== undefined) {
  figures.push(loanFigures(readLoans(readFileSync(loans_file, 'utf8'))));
}
console.log(asMarkdown(figures));
