// `main.js reconcile [--deep]`, `main.js rebuild-scores`, `main.js recalculate`: each goes through
// every subject of both environments, or of the one named with --environment.

import { parseArgs } from 'node:util';
import { ENVIRONMENTS, type Environment } from '@credit/platform/context';
import type { ServiceDeps } from '@credit/platform/runtime';
import type { OperatorDeps } from '../commands/go-through-subjects';
import { rebuildScores } from '../commands/rebuild-scores';
import { recalculate } from '../commands/recalculate';
import { reconcile } from '../commands/reconcile';
import type { ScoringConfig } from '../config';
import { reportingClient } from '../reporting-client';

type Command = (deps: ServiceDeps<ScoringConfig>, args: string[]) => Promise<void>;

export const operatorCommands: Readonly<Record<string, Command>> = {
  async reconcile(deps, args) {
    const { environments, deep } = optionsOf(args);
    for (const environment of environments) {
      const { subjects, mismatches } = await reconcile(operator(deps), environment, { deep });
      const mended = mismatches.filter((mismatch) => mismatch.mended).length;
      say(
        `${environment}: ${subjects} subjects, ${mismatches.length} mismatches, ${mended} mended`,
      );
      for (const { kind, subject_id, here, there } of mismatches) {
        say(`  ${kind} ${subject_id}: version ${here} here, ${there} in reporting`);
      }
      // What stays wrong is for a person.
      if (mended < mismatches.length) process.exitCode = 1;
    }
  },
  async 'rebuild-scores'(deps, args) {
    for (const environment of optionsOf(args).environments) {
      const { subjects } = await rebuildScores(operator(deps), environment);
      say(`${environment}: ${subjects} subjects rebuilt`);
    }
  },
  async recalculate(deps, args) {
    for (const environment of optionsOf(args).environments) {
      const { subjects, changed } = await recalculate(operator(deps), environment);
      say(`${environment}: ${subjects} subjects, ${changed} changed by time alone`);
    }
  },
};

function operator({
  db,
  logger,
  clock,
  newId,
  config,
  channel,
}: ServiceDeps<ScoringConfig>): OperatorDeps {
  const { readWhole, readHeads } = reportingClient(channel(config.REPORTING_ADDRESS));
  return { db, logger, clock, newId, readWhole, readHeads };
}

function optionsOf(args: string[]): { environments: readonly Environment[]; deep: boolean } {
  const { values } = parseArgs({
    args,
    options: { environment: { type: 'string' }, deep: { type: 'boolean', default: false } },
  });
  const environments = ENVIRONMENTS.filter(
    (environment) => values.environment === undefined || values.environment === environment,
  );
  if (environments.length === 0) throw new Error('--environment is live or test.');
  return { environments, deep: values.deep };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
