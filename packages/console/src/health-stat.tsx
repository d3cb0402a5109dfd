import type { Operations, WireOf } from '@credit/contract';
import type { FC } from 'hono/jsx';
import { Stat } from './components';
import { Trend } from './pictures';

/** The grade of an institution's reporting, and how it went over the days that are known. */
export const HealthStat: FC<{
  days: WireOf<Operations['getReportingHealthByDay']>;
  href?: string;
}> = ({ days, href }) => {
  const last = days.at(-1);
  return (
    <Stat
      name="Furnishing health"
      value={last?.grade ?? '–'}
      href={href}
      note={
        typeof last?.score === 'number'
          ? `${last.score} of 100 over 90 days`
          : 'Nothing measured yet'
      }
    >
      <Trend
        name="Furnishing health of 90 days"
        max={100}
        points={days.flatMap(({ day, score }) => (score === null ? [] : [{ day, value: score }]))}
      />
    </Stat>
  );
};
