// What a challenger would have to be, tried against the model in force: a scorecard of integer
// points, monotone by construction, trained on the simulation alone and tried on populations and
// real loans that it has not seen. It is no part of the service. After `npm run build`:
//
//   node services/scoring/research/challenger.mjs
//
// Each measure is cut into steps, and each step past a cut costs points or nothing: more of a
// measure can never earn any. What is lost at each measure is its reason, to the point.

import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, '../../..');
const scoring = (file) => require(path.join(HERE, '../dist', file));
const research = (file) => require(path.join(HERE, 'dist', file));

const { CURRENT_MODEL } = scoring('domain/model/index.js');
const { RULES_1_1_0: rules } = scoring('domain/model/v1-1-0/index.js');
const { viewAccounts } = scoring('domain/model/views.js');
const { countBits } = scoring('domain/model/payments.js');
const { derogatory } = scoring('domain/model/derogatory.js');
const { utilisation } = scoring('domain/model/utilisation.js');
const { fileLength } = scoring('domain/model/file-age.js');
const { countedInquiries } = scoring('domain/model/new-credit.js');
const { simulatePopulation } = research('simulation/population.js');
const { randomFrom } = research('simulation/random.js');
const { keptLoans, SIMULATED_SUBJECTS, SIMULATION_DAY } = research('report.js');

/** Of each measure more is worse. */
const MEASURES = {
  adverse: ({ items }) => 132 - derogatory(items).points,
  lasting: ({ items }) => items.filter(({ episode }) => episode.ended_day === null).length,
  late_months: ({ views }) => sum(views, ({ months }) => countBits(months.late)),
  late_of_late: ({ views }) => sum(views, ({ months }) => countBits(months.late & 0b11_1111)),
  unpaid_months: ({ views }) =>
    24 - Math.min(24, Math.floor(sum(views, ({ months }) => countBits(months.on)) / views.length)),
  use: ({ views }) => utilisation(rules, views).use,
  young_oldest: ({ length }) => 60 - Math.min(60, length.oldest_months),
  young_average: ({ length }) => 83 - length.points,
  few_kinds: ({ views }) => 3 - Math.min(3, new Set(views.map((v) => v.account.account_type)).size),
  looks: ({ looks }) => looks.length,
  late_looks: ({ looks, day }) => looks.filter((look) => day - look.day < 90).length,
  opened: ({ views, day }) => views.filter((v) => day - v.account.opened_day < 365).length,
};
const NAMES = Object.keys(MEASURES);
const MOST_CUTS = 10;
const ROUNDS = 600;
const RESAMPLES = 500;

function sum(list, of) {
  return list.reduce((all, one) => all + of(one), 0);
}

function measured(input) {
  const views = viewAccounts(rules, input);
  const items = views.flatMap((view) => view.items ?? []);
  const accounts = views.map(({ account }) => account);
  const day = input.as_of_day;
  const seen = {
    views,
    items,
    day,
    length: fileLength(accounts, day),
    looks: countedInquiries(input.inquiries, day),
  };
  return NAMES.map((name) => MEASURES[name](seen));
}

function population(seed) {
  return simulatePopulation(SIMULATED_SUBJECTS, seed, SIMULATION_DAY)
    .filter(({ bad_before }) => !bad_before)
    .map(({ input, bad_after }) => ({ input, bad: bad_after }));
}

function prepared(cases) {
  return cases.flatMap(({ input, bad }) => {
    const { score } = CURRENT_MODEL.score(input);
    return score === null ? [] : [{ bad, champion: score, values: measured(input) }];
  });
}

/** Cuts at the quantiles of what was seen. */
function cutsOf(cases) {
  return NAMES.map((_, at) => {
    const values = cases.map(({ values }) => values[at]).sort((a, b) => a - b);
    const cuts = Array.from(
      { length: MOST_CUTS },
      (_, step) => values[Math.floor((values.length * (step + 1)) / (MOST_CUTS + 1))],
    );
    // Rare values lie beyond the last quantile, and they tell most.
    for (const share of [0.95, 0.98, 0.995]) cuts.push(values[Math.floor(values.length * share)]);
    return [...new Set(cuts)].filter((cut) => cut > values[0]).sort((a, b) => a - b);
  });
}

/** Weights of the steps, none below nothing, by projected gradient descent. */
function trained(cases, cuts) {
  const first = [];
  let width = 0;
  for (const of of cuts) {
    first.push(width);
    width += of.length;
  }
  const steps = cases.map(({ values }) =>
    values.map((value, at) => cuts[at].filter((cut) => value >= cut).length),
  );
  const weights = new Float64Array(width);
  const speed = new Float64Array(width);
  let bias = Math.log(sum(cases, ({ bad }) => +bad) / cases.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const slope = new Float64Array(width);
    let bias_slope = 0;
    cases.forEach(({ bad }, index) => {
      const reached = steps[index];
      let odds = bias;
      for (let at = 0; at < reached.length; at += 1) {
        for (let step = 0; step < reached[at]; step += 1) odds += weights[first[at] + step];
      }
      const off = 1 / (1 + Math.exp(-odds)) - +bad;
      bias_slope += off;
      for (let at = 0; at < reached.length; at += 1) {
        for (let step = 0; step < reached[at]; step += 1) slope[first[at] + step] += off;
      }
    });
    bias -= (4 * bias_slope) / cases.length;
    for (let at = 0; at < width; at += 1) {
      speed[at] = 0.9 * speed[at] - (0.8 * slope[at]) / cases.length;
      weights[at] = Math.max(0, weights[at] + speed[at]);
      if (weights[at] === 0) speed[at] = 0;
    }
  }
  return cuts.map((of, at) => of.map((_, step) => weights[first[at] + step]));
}

/** Whole points: 60 of them for each doubling of the odds. */
function pointsOf(weights) {
  return weights.map((steps) => steps.map((weight) => Math.round((weight * 60) / Math.LN2)));
}

function scoreOf(values, cuts, points) {
  let score = 850;
  for (let at = 0; at < values.length; at += 1) {
    cuts[at].forEach((cut, step) => {
      if (values[at] >= cut) score -= points[at][step];
    });
  }
  return Math.max(300, score);
}

/** Area under the curve, as the model's own evaluation counts it. */
function auc(cases, score) {
  return research('statistics.js').auc(cases.map((one) => ({ score: score(one), bad: one.bad })));
}

const byChampion = ({ champion }) => champion;
const byChallenger = ({ challenger }) => challenger;

/** By how much the challenger is ahead, with the middle 95 % of resampled trials. */
function compared(name, cases) {
  const random = randomFrom(1);
  const ahead = Array.from({ length: RESAMPLES }, () => {
    const drawn = cases.map(() => cases[random.integer(0, cases.length - 1)]);
    return auc(drawn, byChallenger) - auc(drawn, byChampion);
  }).sort((a, b) => a - b);
  const at = (share) => ahead[Math.floor(share * RESAMPLES)].toFixed(3);
  const [champion, challenger] = [byChampion, byChallenger].map((by) => auc(cases, by));
  console.log(
    `${name}: ${cases.length} cases, ${sum(cases, ({ bad }) => +bad)} bad; champion ` +
      `${champion.toFixed(3)}, challenger ${challenger.toFixed(3)}, ahead by ` +
      `${(challenger - champion).toFixed(3)} (95 %: ${at(0.025)} to ${at(0.975)})`,
  );
}

const training = [11, 12].flatMap((seed) => prepared(population(seed)));
const cuts = cutsOf(training);
const points = pointsOf(trained(training, cuts));
NAMES.forEach((name, at) => {
  const steps = cuts[at].map((cut, step) => `${points[at][step]} from ${cut}`);
  console.log(`${name}: ${steps.filter((step) => !step.startsWith('0 ')).join(', ') || 'nothing'}`);
});
const withChallenger = (cases) =>
  cases.map((one) => ({ ...one, challenger: scoreOf(one.values, cuts, points) }));
for (const seed of [1, 2]) {
  compared(`simulation, seed ${seed}`, withChallenger(prepared(population(seed))));
}
const loans = withChallenger(prepared(keptLoans(ROOT)));
compared('marketplace loans', loans);
// The data says no issue dates; its order is all there is that could stand for them.
const half = Math.floor(loans.length / 2);
compared('marketplace loans, the first half of the rows', loans.slice(0, half));
compared('marketplace loans, the second half of the rows', loans.slice(half));
