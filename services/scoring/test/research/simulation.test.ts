import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  keptLoans,
  loanFigures,
  modelReport,
  reportFile,
  SIMULATED_SUBJECTS,
  SIMULATION_DAY,
  simulationFigures,
} from '../../research/report';
import { simulatePopulation } from '../../research/simulation/population';
import { CURRENT_MODEL, MODELS } from '../../src/domain/model';

// The population is made up, so these figures say that the model reads a file as it should,
// not how it would do on real borrowers.
describe('a population that goes on living after it was scored', () => {
  const figures = simulationFigures(CURRENT_MODEL);

  test('is told apart with an AUC of 0.80 or more', () => {
    expect(SIMULATED_SUBJECTS).toBe(20_000);
    expect(figures.auc).toBeGreaterThanOrEqual(0.8);
    expect(figures.count).toBeGreaterThan(15_000);
    expect(figures.bads).toBeGreaterThan(500);
  });

  test('turns bad less often from band to band', () => {
    const rates = figures.grades.map(({ bad_rate }) => bad_rate ?? Number.NaN);
    expect(rates).toEqual([...rates].sort((a, b) => a - b));
    expect(new Set(rates).size).toBe(rates.length);
  });

  test('is the same population every time', () => {
    const again = () => simulatePopulation(200, 7, SIMULATION_DAY);
    expect(again()).toEqual(again());
    expect(again()).not.toEqual(simulatePopulation(200, 8, SIMULATION_DAY));
  });
});

const ROOT = path.resolve(__dirname, '../../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

describe.each(MODELS)('the figures of $version', (model) => {
  test('in the report are what its command writes', () => {
    expect(read(reportFile(model))).toBe(modelReport(model, ROOT));
  });

  test('in the model card are those that the command finds', () => {
    const card = read(`docs/model/${model.version}.md`).replaceAll(/\s+/g, ' ');
    for (const { auc, ks, count, grades } of [
      simulationFigures(model),
      loanFigures(model, keptLoans(ROOT)),
    ]) {
      expect(count).toBeGreaterThan(5_000);
      expect(card).toContain(`AUC ${auc?.toFixed(3)}, KS ${ks?.toFixed(3)}`);
      for (const { group, count: subjects, bads, bad_rate } of grades) {
        const rate = bad_rate === null ? '-' : `${(bad_rate * 100).toFixed(1)} %`;
        const row = `| ${group} | ${subjects.toLocaleString('en')} | ${bads} | ${rate} |`;
        expect(card).toContain(row);
      }
    }
    const aucs = /AUC ([\d., ]+) with the seeds/.exec(read(reportFile(model)))?.[1];
    expect(card).toContain(`With other seeds the AUC is ${aucs}.`);
  });
});
