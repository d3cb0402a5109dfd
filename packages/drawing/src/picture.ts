/** What a mark is; of it a renderer makes colours, widths of lines and letters. */
export type Role =
  | 'gauge-track'
  | 'gauge-value'
  | 'gauge-score'
  | 'gauge-band'
  | 'gauge-end'
  | `gauge-zone-${Zone}`
  | 'gauge-zone-letter'
  | 'bar-track'
  | 'bar-value'
  | 'bar-bad'
  | `grid-cell-${MarkName}`
  | 'grid-mark'
  | 'grid-month'
  | 'score-line-rule'
  | 'score-line-label'
  | 'score-line-steps'
  | 'score-line-last'
  | 'score-line-score'
  | 'trend-base'
  | 'trend-line'
  | 'trend-last';

/** Parts of a scale, from the worst to the best. */
export type Zone = 'e' | 'd' | 'c' | 'b' | 'a';

/** What a month of a payment grid was. */
export type MarkName =
  | 'kept'
  | 'late'
  | 'past-30'
  | 'past-60'
  | 'past-90'
  | 'past-120'
  | 'default'
  | 'written-off'
  | 'unknown';

/** How good something is. */
export type Tone = 'good' | 'warn' | 'bad' | 'none';

/** A thing that is drawn, in the units of its picture; y grows downwards. */
export type Mark =
  | {
      readonly kind: 'rect';
      readonly role: Role;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      /** Of its corners. */
      readonly radius?: number;
    }
  | {
      readonly kind: 'circle';
      readonly role: Role;
      readonly x: number;
      readonly y: number;
      readonly radius: number;
    }
  /** `d` as SVG has it. */
  | { readonly kind: 'path'; readonly role: Role; readonly d: string }
  | {
      readonly kind: 'text';
      readonly role: Role;
      readonly text: string;
      readonly x: number;
      /** Of its baseline. */
      readonly y: number;
      /** Which part of it is at `x`; the start unless said. */
      readonly anchor?: 'start' | 'middle' | 'end';
    };

/** Marks that belong together. */
export interface Group {
  readonly tone?: Tone;
  /** What they say, for whoever points at them. */
  readonly title?: string;
  readonly marks: readonly Mark[];
}

/** A drawing, as numbers: a renderer adds what it is drawn with. */
export interface Picture {
  readonly name: 'gauge' | 'bar-picture' | 'grid' | 'score-line' | 'trend' | 'count-columns';
  /** All that it says, in a sentence. */
  readonly says: string;
  /** What is seen of the plane. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** It fills whatever room it gets; others keep their proportions. */
  readonly stretches?: true;
  readonly groups: readonly Group[];
}

/** How far a value is on its range, from 0 to 1. */
export function share(value: number, min: number, max: number): number {
  return max > min ? Math.min(1, Math.max(0, (value - min) / (max - min))) : 0;
}

/** As it is written: a hundredth of a unit is seen by nobody. */
export function rounded(value: number): number {
  // Adding 0 makes 0 of -0.
  return Math.round(value * 100) / 100 + 0;
}
