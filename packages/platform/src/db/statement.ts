/** A piece of raw SQL, prepared on each connection under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Only carries the row's type; never set. */
  readonly row?: Row;
}

const texts = new Map<string, string>();

/**
 * Declares a statement. Names are unique in a process, because a prepared
 * statement of the same name with another text would be an error at run time.
 */
export function statement<Row = Record<string, unknown>>(
  name: string,
  text: string,
): Statement<Row> {
  const known = texts.get(name);
  if (known !== undefined && known !== text) {
    throw new Error(`Two different statements are named ${name}.`);
  }
  texts.set(name, text);
  return { name, text };
}

/** The SQL of a declared statement, for tools that run it by other means. */
export function statementText(name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`No statement is named ${name}.`);
  return text;
}
