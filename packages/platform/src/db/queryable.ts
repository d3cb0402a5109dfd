import type { Statement } from './statement';

/** Runs statements: a transaction, or the pool for single reads. */
export interface Queryable {
  /** All rows. */
  query<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** The only row; none or several is a bug and throws. */
  one<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row>;
  /** The only row, or undefined when there is none. */
  maybe<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Number of rows written. */
  execute(statement: Statement<unknown>, values?: readonly unknown[]): Promise<number>;
}
