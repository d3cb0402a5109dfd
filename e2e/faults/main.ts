// `npm run faults -- --seconds 90 --seed 7`, `--seed 1,5,9` for one after another, `--rotations` to change every secret (or `--only database,audit`),
// `--overload` for five times what can be served, or `--replay FILE` to judge what a journal has.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isRotation, ROTATION_NAMES } from '@credit/local/rotate/rotations';
import { newDataDirectory } from '@credit/local/spawned-system';
import { Builds } from './builds';
import { carryOut } from './faults';
import { Hooks } from './hooks';
import { type Entry, Journal, readJournal } from './journal';
import { INVARIANTS, judge } from './judge';
import { runLoad } from './load';
import { observe, takeSample, takeSamples, untilRest } from './observe';
import { measureOverload } from './overload';
import { drawRun } from './picture';
import { makePlanOfSeeds, makeRotationPlan, makeUpgradePlan, type Plan } from './plan';
import { figuresOf } from './recovery';
import { clearRemains, forgetRemains, keepRemains } from './remains';
import { notices } from './rotations';
import { Stage } from './stage';
import { lastOf } from './timed';
import { wayTo } from './ways';
import { makeWorld } from './world';

const ROOT = path.resolve(__dirname, '../../..');
const SHOWN = 20;
const ROTATIONS_LIMIT_MS = 40 * 60_000;
/** Services show each other certificates, which are to be renewed too. */
const ROTATION_SETTINGS = { MUTUAL_TLS: '1', TLS_RELOAD_MS: '1000' };

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      older: { type: 'string' },
      replay: { type: 'string' },
      rotations: { type: 'boolean', default: false },
      overload: { type: 'boolean', default: false },
      out: { type: 'string', default: path.join(ROOT, '.tmp/faults') },
    },
  });
  if (values.replay !== undefined) {
    conclude(readJournal(values.replay));
    return;
  }
  const duration_ms = Number(values.seconds ?? Number(values.minutes ?? 1.5) * 60) * 1_000;
  const seeds = values.seed.split(',').map(Number);
  const [seed = 0] = seeds;
  if (!(duration_ms >= 20_000) || !seeds.every((one) => Number.isSafeInteger(one) && one >= 0)) {
    throw new Error('--seconds is 20 at least, and --seed a whole number or several.');
  }
  if (values.overload) {
    const folder = path.join(values.out, 'overload');
    mkdirSync(folder, { recursive: true });
    if (!(await measureOverload(duration_ms, folder, say))) process.exitCode = 1;
    return;
  }
  const only = values.only?.split(',');
  const plan = values.rotations
    ? makeRotationPlan(seed, ROTATIONS_LIMIT_MS, (only ?? ROTATION_NAMES).filter(isRotation))
    : values.older === undefined
      ? makePlanOfSeeds(seeds, duration_ms, only)
      : makeUpgradePlan(seed, duration_ms);
  const length = values.rotations ? 'rotations' : `${Math.round(duration_ms / 1_000)}s`;
  const folder = path.join(values.out, `seed-${seeds.join('+')}-${length}`);
  mkdirSync(folder, { recursive: true });
  await run(plan, folder, values.older);
}

async function run(plan: Plan, folder: string, older?: string): Promise<void> {
  const { topology } = plan;
  say(
    `seed ${plan.seed}: ${plan.faults.length} faults in ${plan.duration_ms / 1_000} s, ` +
      `PostgreSQL ${topology.postgres}, NATS ${topology.nats}${plan.mutual_tls ? ', with certificates' : ''}; ${folder}`,
  );
  await clearRemains(folder);
  const directory = await newDataDirectory();
  keepRemains(folder, directory);
  const stage = await Stage.open(plan, {
    directory,
    settings: plan.ends_with_faults ? ROTATION_SETTINGS : {},
    builds: older === undefined ? undefined : Builds.of(ROOT, older),
  });
  if (!stage.postgres.fills) say('  no disk will be full: this user may not mount any');
  let hooks: Hooks | undefined;
  try {
    const journal = new Journal(path.join(folder, 'journal.ndjson'));
    const { seed, duration_ms, faults } = plan;
    journal.write({ t: 'run', seed, duration_ms, topology, faults });
    hooks = await Hooks.start(stage.system.data_directory, journal);
    const world = await makeWorld(stage, hooks, journal);
    journal.begin();
    const gateways = stage.gateways;
    const over = new AbortController();
    const rested = new AbortController();
    const sampling = takeSamples(stage, journal, rested.signal);
    await Promise.all([
      runLoad(plan, world, gateways, journal, {
        over: over.signal,
        wayOf: () => wayTo(stage.crash_points.armed),
      }),
      carryOut(plan, stage, hooks, journal).then(
        () => {
          if (plan.ends_with_faults) over.abort();
        },
        (error: unknown) => {
          over.abort();
          throw error;
        },
      ),
    ]);
    await untilRest(stage, journal);
    rested.abort();
    await sampling;
    const observed = await observe(stage);
    // Last, when what is kept for the next request has been given back.
    await takeSample(stage, journal);
    journal.write({ t: 'observed', observed });
    journal.close();
    const verdict = conclude(journal.entries);
    writeFileSync(path.join(folder, 'verdict.json'), `${JSON.stringify(verdict, undefined, 2)}\n`);
    writeFileSync(path.join(folder, 'run.svg'), drawRun(journal.entries));
  } finally {
    writeFileSync(path.join(folder, 'system.log'), stage.system.output());
    hooks?.stop();
    await stage.close();
    forgetRemains(folder);
  }
}

/** Judges, says so, and has the process end with 1 where an invariant does not hold. */
function conclude(entries: readonly Entry[]) {
  const findings = judge(entries);
  const figures = figuresOf(entries);
  const { calm, whole } = figures;
  say(
    `${whole.requests} requests, ${whole.failed} failed, ${whole.refused} met a gateway that was away; without faults ${calm.per_second.toFixed(1)} a second, ` +
      `p50 ${calm.p50_ms} ms, p99 ${calm.p99_ms} ms, ${calm.failed} failed`,
  );
  const told = notices(entries);
  if (told.length > 0) {
    const latest_ms = lastOf(told, ({ after_ms }) => after_ms);
    say(`${told.length} notices, the latest ${latest_ms} ms after its answer`);
  }
  for (const fault of figures.faults) {
    say(
      `  ${fault.name}: ${fault.failed} failed, ${fault.in_hand} of them in hand, ${fault.refused} met no gateway, the last ${fault.failing_for_ms} ms after its end; ` +
        `p99 x${fault.p99_ratio}, slow for ${fault.slow_for_ms} ms, throughput x${fault.throughput_ratio}`,
    );
    for (const { at_most, reached, was = 'never', what } of fault.targets) {
      say(`    ${reached ? 'within' : 'MISSED'} the target: ${was} ${what}, of ${at_most} at most`);
    }
  }
  const missed = figures.crashes.filter(({ met }) => !met).map(({ point }) => point);
  if (missed.length > 0) say(`nobody came by ${missed.join(', ')}`);
  for (const { invariant, problem } of findings.slice(0, SHOWN))
    say(`BROKEN ${invariant}: ${problem}`);
  say(findings.length === 0 ? 'every invariant holds' : `${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
  return { invariants: INVARIANTS, findings, figures };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  // What still runs would keep it from ending; the next run in the folder takes it away.
  process.exit(2);
});
