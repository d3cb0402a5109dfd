// What the columns of the real loans tell of their outcome at most: each by itself, and all of them
// with weights fitted to four fifths of the loans and tried on the last one. No part of the service.
// After `npm run build`:
//
//   node services/scoring/research/what-loans-tell.mjs

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const statistics = createRequire(import.meta.url)(path.join(HERE, 'dist/statistics.js'));
const FILE = path.join(HERE, '../data/marketplace-loans.csv.gz');
const FOLDS = 5;
const ROUNDS = 400;

const [head, ...lines] = gunzipSync(readFileSync(FILE)).toString().trim().split('\n');
const columns = head.split(',').slice(0, -1);
const bads = lines.map((line) => line.trim().endsWith('bad'));
const read = lines.map((line) => columns.map((_, at) => Math.max(0, Number(line.split(',')[at]))));

/** Balances and limits by their order of magnitude, their ratio, and all on one scale. */
function scaled(rows) {
  const wide = rows.map((row) => {
    const balance = row[columns.indexOf('total_bal_il')];
    const limit = row[columns.indexOf('total_il_high_credit_limit')];
    const others = row.map((value, at) => (columns[at].startsWith('total_') ? 0 : value));
    return [...others, Math.log1p(balance), Math.log1p(limit), limit > 0 ? balance / limit : 0];
  });
  const middles = wide[0].map((_, at) => mean(wide.map((row) => row[at])));
  const spreads = middles.map((middle, at) =>
    Math.sqrt(mean(wide.map((row) => (row[at] - middle) ** 2))),
  );
  return wide.map((row) => row.map((value, at) => (value - middles[at]) / (spreads[at] || 1)));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function fitted(rows, members) {
  const weights = new Float64Array(rows[0].length);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const slope = new Float64Array(weights.length);
    let bias_slope = 0;
    for (const index of members) {
      const odds = rows[index].reduce((sum, value, at) => sum + weights[at] * value, bias);
      const off = 1 / (1 + Math.exp(-odds)) - Number(bads[index]);
      bias_slope += off;
      rows[index].forEach((value, at) => {
        slope[at] += off * value;
      });
    }
    bias -= (2 * bias_slope) / members.length;
    for (let at = 0; at < weights.length; at += 1) {
      weights[at] -= (2 * slope[at]) / members.length;
    }
  }
  return weights;
}

/** Area under the curve of a measure of which more is worse. */
function auc(members, measure) {
  return statistics.auc(members.map((index) => ({ score: -measure(index), bad: bads[index] })));
}

const all = bads.map((_, index) => index);
for (const [at, column] of columns.entries()) {
  console.log(`${column}: ${auc(all, (index) => read[index][at]).toFixed(3)}`);
}
const rows = scaled(read);
const held_out = Array.from({ length: FOLDS }, (_, fold) => {
  const weights = fitted(
    rows,
    all.filter((index) => index % FOLDS !== fold),
  );
  const tried = all.filter((index) => index % FOLDS === fold);
  return auc(tried, (index) =>
    rows[index].reduce((sum, value, at) => sum + weights[at] * value, 0),
  );
});
console.log(`fitted, held out: ${held_out.map((one) => one.toFixed(3)).join(', ')}`);
console.log(`on average: ${mean(held_out).toFixed(3)}`);
