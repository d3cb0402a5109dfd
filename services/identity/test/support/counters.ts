import type { TestValkey } from '@credit/testing';
import type { Identity } from './identity';

/** Looks at counters, and turns time for them. */
export interface Counters {
  /** What was counted today; 0 where there is no counter. */
  dayCount(id: string): Promise<number>;
  /** Moves the windows of a counter that is there, and sets what it has of the minute. */
  change(
    id: string,
    by: { readonly minute?: number; readonly day?: number },
    minute_count?: number,
  ): Promise<void>;
}

export function databaseCounters({ sql }: Pick<Identity, 'sql'>): Counters {
  return {
    async dayCount(id) {
      const [row] = await sql<{ day_count: number }>(
        'SELECT day_count FROM rate_counters WHERE id = $1',
        [id],
      );
      return row?.day_count ?? 0;
    },
    async change(id, { minute = 0, day = 0 }, minute_count) {
      const rows = await sql(
        `UPDATE rate_counters SET minute = minute + $2, day = day + $3,
           minute_count = coalesce($4, minute_count)
         WHERE id = $1 RETURNING id`,
        [id, minute, day, minute_count],
      );
      expect(rows).toHaveLength(1);
    },
  };
}

export function valkeyCounters({ command }: TestValkey): Counters {
  const keyOf = (id: string) => `credit:rate:${id}`;
  return {
    async dayCount(id) {
      const text = await command('GET', keyOf(id));
      return text === null ? 0 : Number(String(text).split(' ')[3]);
    },
    async change(id, by, set) {
      const text = String(await command('GET', keyOf(id)));
      const [minute = 0, minute_count = 0, day = 0, day_count = 0] = text.split(' ').map(Number);
      const changed = [
        minute + (by.minute ?? 0),
        set ?? minute_count,
        day + (by.day ?? 0),
        day_count,
      ];
      expect(changed.every(Number.isInteger)).toBe(true);
      await command('SET', keyOf(id), changed.join(' '), 'KEEPTTL');
    },
  };
}
