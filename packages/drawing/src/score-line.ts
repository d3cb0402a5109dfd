import { type Mark, type Picture, rounded, share } from './picture';

/** A score that was in force from a moment on. */
export interface ScoreAt {
  readonly calculated_at: string;
  /** Absent while not rated. */
  readonly score: number | null | undefined;
}

const ROOM = { left: 28, right: 8, top: 12, bottom: 18 };
const SCORE_STEP = 50;
/** No score lies on the outermost rules, where its number would. */
const HEADROOM = 10;
/** Scores of one day are no history: the line has this much room at least. */
const SHORTEST_SPAN_MS = 30 * 86_400_000;
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * How a score moved, as steps, for a score holds until the next one. `scores` come newest first; the
 * line ends where it is `until`, or with the newest. What was not rated is no part of it; undefined
 * when nothing was.
 */
export function scoreLine(
  scores: readonly ScoreAt[],
  { width, height, until }: { width: number; height: number; until?: string } = {
    width: 400,
    height: 140,
  },
): Picture | undefined {
  const rated = [...scores].reverse().flatMap(({ calculated_at, score }) => {
    const at_ms = Date.parse(calculated_at);
    return score === null || score === undefined ? [] : [{ at_ms, score }];
  });
  const [first, last] = [rated[0], rated.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { left, right, top, bottom } = ROOM;
  const all = rated.map(({ score }) => score);
  const low = Math.floor((Math.min(...all) - HEADROOM) / SCORE_STEP) * SCORE_STEP;
  const high = Math.ceil((Math.max(...all) + HEADROOM) / SCORE_STEP) * SCORE_STEP;
  const to_ms = until === undefined ? last.at_ms : Date.parse(until);
  const from_ms = Math.min(first.at_ms, to_ms - SHORTEST_SPAN_MS);
  const end = width - right;
  const x = (at_ms: number) => rounded(left + (end - left) * share(at_ms, from_ms, to_ms));
  const y = (score: number) =>
    rounded(height - bottom - (height - top - bottom) * share(score, low, high));
  const rules = Array.from({ length: (high - low) / SCORE_STEP + 1 }, (_, index): Mark[] => {
    const score = low + index * SCORE_STEP;
    return [
      { kind: 'path', role: 'score-line-rule', d: `M ${left} ${y(score)} H ${end}` },
      label(String(score), left - 4, y(score) + 3, 'end'),
    ];
  });
  const steps = rated.slice(1).map(({ at_ms, score }) => `H ${x(at_ms)} V ${y(score)}`);
  const day = (at_ms: number) => DAY.format(at_ms);
  const moved = `from ${first.score} on ${day(first.at_ms)} to ${last.score} on ${day(last.at_ms)}`;
  return {
    name: 'score-line',
    says: `The score ${moved}, between ${Math.min(...all)} and ${Math.max(...all)}`,
    x: 0,
    y: 0,
    width,
    height,
    groups: [
      ...rules.map((marks) => ({ marks })),
      {
        marks: [
          label(day(from_ms), left, height - 4, 'start'),
          label(day((from_ms + to_ms) / 2), (left + end) / 2, height - 4, 'middle'),
          label(day(to_ms), end, height - 4, 'end'),
          {
            kind: 'path',
            role: 'score-line-steps',
            d: [`M ${x(first.at_ms)} ${y(first.score)}`, ...steps, `H ${end}`].join(' '),
          },
          { kind: 'circle', role: 'score-line-last', x: end, y: y(last.score), radius: 3 },
          {
            kind: 'text',
            role: 'score-line-score',
            text: String(last.score),
            x: end,
            // Where the line does not come from.
            y: rounded(y(last.score) + (last.score < (rated.at(-2) ?? last).score ? 13 : -6)),
            anchor: 'end',
          },
        ],
      },
    ],
  };
}

function label(text: string, x: number, y: number, anchor: 'start' | 'middle' | 'end'): Mark {
  return { kind: 'text', role: 'score-line-label', text, x, y: rounded(y), anchor };
}
