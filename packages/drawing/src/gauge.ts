import { type Group, type Mark, type Picture, rounded, share, type Zone } from './picture';

/** A part of the range that has a letter. */
export interface ZoneOf {
  readonly zone: Zone;
  /** The least score in it. */
  readonly from: number;
}

const RADIUS = 90;
const ZONE_RADIUS = 106;
const LETTER_RADIUS = 118;
const ZONE_GAP = 0.006;
/** A little more than half a circle, from the left to the right; 0 is up. */
const HALF_ANGLE = Math.PI * 0.55;

/** A score on its range, from the left to the right; with the zones of the range where they are known. */
export function gauge(given: {
  /** Undefined when not rated. */
  readonly score: number | undefined;
  readonly min: number;
  readonly max: number;
  /** What the score is called, as `Good`. */
  readonly band: string;
  /** The worst first. */
  readonly zones?: readonly ZoneOf[];
}): Picture {
  const { score, min, max, band, zones = [] } = given;
  const [edge, below] = [zones.length === 0 ? 110 : 128, 46];
  const at = (value: number) => share(value, min, max);
  const ends = [min, max].map((end): Mark => {
    const { x, y } = pointAt(RADIUS, at(end));
    return {
      kind: 'text',
      role: 'gauge-end',
      text: String(end),
      x,
      y: rounded(y + 28),
      anchor: 'middle',
    };
  });
  const marks: Mark[] = [
    { kind: 'path', role: 'gauge-track', d: arc(RADIUS, 0, 1) },
    ...(score === undefined
      ? []
      : [{ kind: 'path', role: 'gauge-value', d: arc(RADIUS, 0, at(score)) } as const]),
    {
      kind: 'text',
      role: 'gauge-score',
      text: String(score ?? '–'),
      x: 0,
      y: 0,
      anchor: 'middle',
    },
    { kind: 'text', role: 'gauge-band', text: band, x: 0, y: 26, anchor: 'middle' },
    ...ends,
  ];
  return {
    name: 'gauge',
    says: score === undefined ? 'Not rated' : `${score} of ${min} to ${max}: ${band}`,
    x: -edge,
    y: -edge,
    width: 2 * edge,
    height: edge + below,
    groups: [{ marks }, ...zones.map((zone, index) => zoneGroup(zone, zones[index + 1], at))],
  };
}

function zoneGroup(
  { zone, from }: ZoneOf,
  next: ZoneOf | undefined,
  at: (value: number) => number,
): Group {
  const [start, end] = [at(from), next === undefined ? 1 : at(next.from)];
  const letter = pointAt(LETTER_RADIUS, (start + end) / 2);
  return {
    marks: [
      {
        kind: 'path',
        role: `gauge-zone-${zone}`,
        d: arc(ZONE_RADIUS, start + ZONE_GAP, end - ZONE_GAP),
      },
      {
        kind: 'text',
        role: 'gauge-zone-letter',
        text: zone.toUpperCase(),
        x: letter.x,
        // Its middle, and not its foot, is on the circle.
        y: rounded(letter.y + 4),
        anchor: 'middle',
      },
    ],
  };
}

function pointAt(radius: number, part: number): { readonly x: number; readonly y: number } {
  const angle = -HALF_ANGLE + 2 * HALF_ANGLE * part;
  return { x: rounded(radius * Math.sin(angle)), y: rounded(-radius * Math.cos(angle)) };
}

/** A part of the circle. */
function arc(radius: number, from: number, to: number): string {
  const [start, end] = [pointAt(radius, from), pointAt(radius, to)];
  const is_large = 2 * HALF_ANGLE * (to - from) > Math.PI ? 1 : 0;
  return `M ${start.x} ${start.y} A ${radius} ${radius} 0 ${is_large} 1 ${end.x} ${end.y}`;
}
