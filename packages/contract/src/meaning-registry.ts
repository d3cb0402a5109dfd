/** What a closed set of values is called, and what each of them means. */
export interface Meanings {
  readonly title: string;
  readonly values: Readonly<Record<string, string>>;
}

const known = new Map<object, Meanings>();

/** A set of the protos: a value without a meaning does not compile. */
export function means<Values extends object>(
  values: Values,
  title: string,
  meanings: Readonly<Record<Exclude<keyof Values & string, 'UNSPECIFIED'>, string>>,
): void {
  known.set(values, { title, values: meanings });
}

/** A set of plain strings, likewise. */
export function listed<const Value extends string>(
  values: readonly Value[],
  title: string,
  meanings: Readonly<Record<Value, string>>,
): void {
  known.set(values, { title, values: meanings });
}

/** What is known of a set, by the very object that declares it. */
export function meaningsOf(values: object): Meanings | undefined {
  return known.get(values);
}
