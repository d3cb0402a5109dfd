// Days and months as integers. The model never meets a Date or a clock.

const { floor, max } = Math;

const MS_PER_DAY = 86_400_000;
const DAYS_PER_ERA = 146_097;
// Days from 0000-03-01 to 1970-01-01: eras begin in March, so that the leap day is the last.
const EPOCH_SHIFT = 719_468;

export function dayOfInstant(epoch_ms: number): number {
  return floor(epoch_ms / MS_PER_DAY);
}

export function instantOfDay(day: number): number {
  return day * MS_PER_DAY;
}

/** Sortable by time: month * 32 + day of the month. */
function civil(day: number): number {
  const shifted = day + EPOCH_SHIFT;
  const era = floor(shifted / DAYS_PER_ERA);
  const day_of_era = shifted - era * DAYS_PER_ERA;
  const year_of_era = floor(
    (day_of_era -
      floor(day_of_era / 1460) +
      floor(day_of_era / 36_524) -
      floor(day_of_era / 146_096)) /
      365,
  );
  const day_of_year =
    day_of_era - (365 * year_of_era + floor(year_of_era / 4) - floor(year_of_era / 100));
  const month_from_march = floor((5 * day_of_year + 2) / 153);
  const day_of_month = day_of_year - floor((153 * month_from_march + 2) / 5) + 1;
  const months = (year_of_era + era * 400) * 12 + month_from_march + 2;
  return months * 32 + day_of_month;
}

export function monthOfDay(day: number): number {
  return floor(civil(day) / 32);
}

export function firstDayOfMonth(month: number): number {
  const from_march = month - 2;
  const year = floor(from_march / 12);
  const month_from_march = from_march - year * 12;
  const era = floor(year / 400);
  const year_of_era = year - era * 400;
  const day_of_era =
    365 * year_of_era +
    floor(year_of_era / 4) -
    floor(year_of_era / 100) +
    floor((153 * month_from_march + 2) / 5);
  return era * DAYS_PER_ERA + day_of_era - EPOCH_SHIFT;
}

/** `month` from 1. */
export function dayOfDate(year: number, month: number, day_of_month: number): number {
  return firstDayOfMonth(year * 12 + month - 1) + day_of_month - 1;
}

export function lastDayOfMonth(month: number): number {
  return firstDayOfMonth(month + 1) - 1;
}

/** Complete calendar months from one day to another; 0 when the second is earlier. */
export function wholeMonthsBetween(from_day: number, to_day: number): number {
  const from = civil(from_day);
  const to = civil(to_day);
  const months = floor(to / 32) - floor(from / 32) - (to % 32 < from % 32 ? 1 : 0);
  return max(0, months);
}
