export { bar } from './bar';
export { type Counted, columns } from './columns';
export { gauge, type ZoneOf } from './gauge';
export {
  GRID_MARKS,
  type GridLayout,
  type GridMonth,
  gridMonths,
  type MarkMeaning,
  paymentGrid,
} from './payment-grid';
export type { Group, Mark, MarkName, Picture, Role, Tone, Zone } from './picture';
export { type ScoreAt, scoreLine } from './score-line';
export { type TrendPoint, trend } from './trend';
