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

/** Takes writes within a transaction. */
export interface Writer {
  /**
   * Sends a write that nobody waits for but the commit, which fails with it. What is sent later,
   * by whatever method, runs after it and sees it. With `expected_rows`, another number written
   * fails the transaction too.
   */
  write(statement: Statement<unknown>, values: readonly unknown[], expected_rows?: number): void;
}
