import { binaryArray, isBinaryType } from './binary-array';
import { type Statement, statement } from './statement';

/** The PostgreSQL types that columns have here, and what rows hold of them. */
export interface ColumnTypes {
  uuid: string;
  text: string;
  smallint: number;
  integer: number;
  bigint: bigint;
  boolean: boolean;
  timestamptz: string;
  date: string;
  bytea: Buffer;
  /** Parsed on the way out, text on the way in. */
  json: unknown;
  jsonb: unknown;
  inet: string;
  'double precision': number;
  /** Lists are read, or given as single values: rows of them cannot be unnested. */
  'uuid[]': readonly string[];
  'text[]': readonly string[];
  'integer[]': readonly number[];
}

/** One column: its type in PostgreSQL, and by its phantom what a row holds of it. */
export interface Column<Value> {
  readonly type: keyof ColumnTypes;
  /** Only carries the value's type; never set. */
  readonly value?: Value;
}

/** A column that always has a value, narrowed to `Value` where the table is. */
export function column<
  Type extends keyof ColumnTypes,
  Value extends ColumnTypes[Type] = ColumnTypes[Type],
>(type: Type): Column<Value> {
  return { type };
}

/** A column that can be NULL: undefined in its row. */
export function nullable<Value>(of: Column<Value>): Column<Value | undefined> {
  return { type: of.type };
}

type ColumnSet = Readonly<Record<string, Column<unknown>>>;

/** An array without elements, of any type. */
const EMPTY = '{}';

/** What a row of the columns holds. */
export type RowOf<C> =
  C extends Columns<infer Set>
    ? { [Name in keyof Set]: Set[Name] extends Column<infer Value> ? Value : never }
    : never;

/** What is written of a row: what can be NULL may be left out. */
export type Written<Row> = {
  [Name in keyof Row as undefined extends Row[Name] ? never : Name]: Row[Name];
} & { [Name in keyof Row as undefined extends Row[Name] ? Name : never]?: Row[Name] };

/** Columns that are read or written together, said once. */
export class Columns<Set extends ColumnSet = ColumnSet> {
  readonly #set: Set;
  readonly #names: readonly string[];

  constructor(set: Set) {
    this.#set = set;
    this.#names = Object.keys(set);
  }

  /** `a, b`, or `t.a, t.b` with `t` as qualifier. */
  names(qualifier?: string): string {
    const lead = qualifier === undefined ? '' : `${qualifier}.`;
    return this.#names.map((name) => lead + name).join(', ');
  }

  /** `a = new.a, b = new.b`: what an update sets, but the columns named. */
  assignments(from: string, ...without: readonly (keyof Set)[]): string {
    return this.#names
      .filter((name) => !without.includes(name))
      .map((name) => `${name} = ${from}.${name}`)
      .join(', ');
  }

  get types(): readonly (keyof ColumnTypes)[] {
    return Object.values(this.#set).map(({ type }) => type);
  }

  /** The rows' values, column by column: parameters of {@link batchStatement}. */
  transposed(rows: readonly Written<RowOf<Columns<Set>>>[]): unknown[] {
    // Sound: the same rows, with the names of columns as no more than texts.
    const records = rows as readonly Readonly<Record<string, unknown>>[];
    return this.#names.map((name, index) => {
      const values: unknown[] = [];
      let is_empty = true;
      for (const record of records) {
        const value = record[name];
        if (value !== undefined) is_empty = false;
        values.push(value);
      }
      // `unnest` fills up shorter lists with NULL; the first says how many rows there are.
      if (is_empty && index > 0) return EMPTY;
      const { type } = this.#set[name] as Column<unknown>;
      return (isBinaryType(type) ? binaryArray(type, values) : undefined) ?? values;
    });
  }

  /** Some of the columns. */
  pick<Name extends keyof Set & string>(...names: readonly Name[]): Columns<Pick<Set, Name>> {
    const picked = names.map((name) => [name, this.#set[name]]);
    return new Columns(Object.fromEntries(picked) as Pick<Set, Name>);
  }

  /** These and others after them. */
  with<More extends ColumnSet>(more: Columns<More>): Columns<Set & More> {
    return new Columns({ ...this.#set, ...more.#set });
  }
}

/** Declares columns: the one description that row type, lists, parameters and reader come from. */
export function columns<Set extends ColumnSet>(set: Set): Columns<Set> {
  return new Columns(set);
}

/** A single value among the parts of a {@link batchStatement}. */
export type Part = Columns<ColumnSet> | keyof ColumnTypes;

type ValueOfPart<P> =
  P extends Columns<infer _>
    ? readonly Written<RowOf<P>>[]
    : P extends keyof ColumnTypes
      ? ColumnTypes[P] | undefined
      : never;

/** A statement over lists of rows and single values, whose parameters number themselves. */
export interface BatchStatement<Parts, Row = Record<string, unknown>> extends Statement<Row> {
  /** The statement's parameters, in its order. */
  values(of: { readonly [Name in keyof Parts]: ValueOfPart<Parts[Name]> }): unknown[];
  /** The same, with the type of the rows that it answers. */
  answering<Answer>(): BatchStatement<Parts, Answer>;
}

/**
 * Declares a statement of parts. `text` gets of each part what stands for it in SQL: of columns
 * `$2::uuid[], $3::text[]`, for `unnest`; of a single value `$1::timestamptz`.
 */
export function batchStatement<const Parts extends Readonly<Record<string, Part>>>(
  name: string,
  parts: Parts,
  text: (sql: { readonly [Name in keyof Parts]: string }) => string,
): BatchStatement<Parts> {
  const entries = Object.entries<Part>(parts);
  let next = 1;
  const sql: Record<string, string> = {};
  for (const [part, of] of entries) {
    if (typeof of === 'string') {
      sql[part] = `$${next}::${of}`;
      next += 1;
    } else {
      sql[part] = of.types.map((type, index) => `$${next + index}::${type}[]`).join(', ');
      next += of.types.length;
    }
  }
  const made: BatchStatement<Parts> = {
    // Sound: an entry for each part was just made.
    ...statement(name, text(sql as { readonly [Name in keyof Parts]: string })),
    answering: <Answer>() => made as unknown as BatchStatement<Parts, Answer>,
    values: (given) => {
      const values: unknown[] = [];
      for (const [part, of] of entries) {
        const value: unknown = given[part];
        if (typeof of === 'string') values.push(value);
        else values.push(...of.transposed(value as readonly Written<RowOf<Columns<ColumnSet>>>[]));
      }
      return values;
    },
  };
  return made;
}
