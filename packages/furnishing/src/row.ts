/** A JSON object of a stranger's. */
export type Fields = Record<string, unknown>;

/** What a file holds: one account or one event a row. */
export type Kind = 'accounts' | 'events';

/** How a file is written. CSV has a header. */
export type Format = 'csv' | 'ndjson';

/** How columns of a CSV file become fields of the API. */
export interface Mapping {
  /** Header name to field; columns that are not named are left out. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** Fields that are the same in all rows. */
  readonly constants?: Readonly<Record<string, string>> | undefined;
}

/** Why a row cannot be reported. */
export interface Fault {
  readonly line: number;
  /** A reason or code of the API's errors, or one of this file's own. */
  readonly code: string;
  /** Empty when it is about the whole row. */
  readonly field: string;
  readonly message: string;
}

/** Between two rows of a file. */
export interface Place {
  readonly bytes: number;
  /** Lines before it. */
  readonly lines: number;
}

/** One row: the fields that it gives, or why it can't be read. */
export interface Row {
  /** Where it ends, when it spreads over several. */
  readonly line: number;
  /** Behind it; undefined when that is known only with a later row. */
  readonly end?: Place;
  /** As in a CSV file, by header name. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly fields: Fields;
  readonly fault?: Fault;
}

/** A file that no row can be read from any more; the message names the line. */
export class UnreadableFile extends Error {}

/** A file's bytes from an offset on. */
export type Source = (from_bytes: number) => AsyncIterable<Buffer>;
