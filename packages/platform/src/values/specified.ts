/** The value of an enum of the protos; undefined for none and for the zero value, which says none. */
export function specified<Value extends string>(
  value: Value | undefined,
): Exclude<Value, 'UNSPECIFIED'> | undefined {
  return value === 'UNSPECIFIED' ? undefined : (value as Exclude<Value, 'UNSPECIFIED'> | undefined);
}
