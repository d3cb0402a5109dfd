import { type Queryable, statement } from '@credit/platform/db';
import { toText } from './time';

const TAKE_PERSONA = statement(
  'sandboxes_take_persona',
  // The row is locked until the commit: an institution's personas are made one after another.
  `INSERT INTO sandboxes AS known (institution_id, day, personas)
   VALUES ($1, $2::timestamptz AT TIME ZONE 'UTC', 1)
   ON CONFLICT (institution_id) DO UPDATE
     SET day = excluded.day,
         personas = CASE WHEN known.day = excluded.day THEN known.personas + 1 ELSE 1 END
     WHERE known.day <> excluded.day OR known.personas < $3`,
);

/** Counts one more persona of the day; false when there have been as many as may be. */
export async function takePersona(
  on: Queryable,
  institution_id: string,
  now_ms: number,
  most: number,
): Promise<boolean> {
  return (await on.execute(TAKE_PERSONA, [institution_id, toText(now_ms), most])) === 1;
}
