import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { systemContext } from '../context';
import { type Clock, toTimestamp } from '../core';
import { type Database, statement } from '../db';
import { observeFigures } from '../telemetry';

/** What the steps of a drill hand on to each other, in a file. */
const drillSchema = z.object({
  /** The database server whose backup is tried. */
  server: z.string(),
  begun_at: z.iso.datetime(),
  /** By environment: when the last event that the original had by then was written. */
  written: z.record(z.string(), z.iso.datetime()),
  duration_s: z.number().optional(),
  lost_s: z.number().optional(),
});
type Drill = z.output<typeof drillSchema>;

const NEWEST = statement<{ created_at: string }>(
  'restore_drill_newest',
  'SELECT created_at FROM outbox ORDER BY id DESC LIMIT 1',
);

const MINUTE_MS = 60_000;

/**
 * `restore-drill begin --file FILE --server NAME` on the original notes when a restore begins and what was
 * written last; `restore-drill end --file FILE` on the copy says how long it took and what it lost;
 * `restore-drill show --file FILE [--minutes N]` shows that to Prometheus for so long.
 */
export async function restoreDrillCommand(
  parts: {
    readonly db: Pick<Database, 'environments' | 'read'>;
    readonly clock: Clock;
    readonly say: (line: string) => void;
    /** Shows what `register` makes until the time is over. */
    readonly serve: (name: string, for_ms: number, register: () => void) => Promise<void>;
  },
  args: string[],
): Promise<void> {
  const { db, clock, say, serve } = parts;
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      file: { type: 'string' },
      server: { type: 'string' },
      minutes: { type: 'string', default: '10' },
    },
  });
  const { file, server } = values;
  const [step] = positionals;
  if (file === undefined) throw new Error('--file names where the drill is noted.');
  if (step === 'begin') {
    if (server === undefined) throw new Error('--server names whose backup is tried.');
    const drill: Drill = {
      server,
      begun_at: toTimestamp(clock.now_ms()),
      written: await newestWrites(db),
    };
    await writeFile(file, JSON.stringify(drill));
    for (const [environment, at] of Object.entries(drill.written)) {
      say(`${environment}: the last event of ${server} is of ${at}`);
    }
  } else if (step === 'end') {
    const drill = await readDrill(file);
    const duration_s = (clock.now_ms() - Date.parse(drill.begun_at)) / 1_000;
    const lost_s = lostSeconds(drill.written, await newestWrites(db));
    await writeFile(file, JSON.stringify({ ...drill, duration_s, lost_s }));
    say(`${drill.server} was restored in ${duration_s} s, without its last ${lost_s} s`);
  } else if (step === 'show') {
    const { server: of, duration_s, lost_s } = await readDrill(file);
    if (duration_s === undefined || lost_s === undefined) throw new Error('It has not ended yet.');
    await serve('restore-drill', Number(values.minutes) * MINUTE_MS, () =>
      observeFigures(
        '@credit/platform/restore-drill',
        {
          'restore_drill.duration.seconds': 'How long the last drill of a server restored it.',
          'restore_drill.lost.seconds':
            'How much older the last event of the copy is than that of the original when it began.',
        },
        async () => [
          { name: 'restore_drill.duration.seconds', value: duration_s, attributes: { server: of } },
          { name: 'restore_drill.lost.seconds', value: lost_s, attributes: { server: of } },
        ],
      ),
    );
  } else {
    throw new Error('A drill has the steps begin, end and show.');
  }
}

async function readDrill(file: string): Promise<Drill> {
  return drillSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

async function newestWrites(
  db: Pick<Database, 'environments' | 'read'>,
): Promise<Record<string, string>> {
  const newest: Record<string, string> = {};
  for (const environment of db.environments) {
    const [row] = await db.read(systemContext(environment)).query(NEWEST);
    if (row !== undefined) newest[environment] = row.created_at;
  }
  return newest;
}

/** Of the environment that lost most. One that came back with nothing lost all that it had. */
function lostSeconds(
  original: Readonly<Record<string, string>>,
  copy: Readonly<Record<string, string>>,
): number {
  const lost = Object.entries(original).map(([environment, at]) => {
    const kept = copy[environment];
    return kept === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(at) - Date.parse(kept);
  });
  return Math.max(0, ...lost) / 1_000;
}
