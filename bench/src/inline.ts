import { statementText } from '@credit/platform/db';

/**
 * A service's own statement with its parameters written out, for a pgbench script
 * (which prepares it again, with the script's variables as parameters).
 */
export function inline(name: string, values: readonly string[]): string {
  return `${inlineText(statementText(name), values)};`;
}

/** Puts `values[0]` for `$1`, and so on; a missing or left-over value is an error. */
export function inlineText(text: string, values: readonly string[]): string {
  const used = new Set<number>();
  const result = text.replace(/\$(\d+)/g, (_parameter, digits: string) => {
    const value = values[Number(digits) - 1];
    if (value === undefined) throw new Error(`There is no value for $${digits}.`);
    used.add(Number(digits));
    return value;
  });
  if (used.size !== values.length) {
    throw new Error(`${values.length} values for ${used.size} parameters.`);
  }
  // A script's command ends at a semicolon; comments would need line ends.
  return result.replace(/\s+/g, ' ').trim();
}

/** A literal. */
export const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** An array of one, as the set-based statements take for a single command. */
export const one = (value: string, type: string) => `ARRAY[${value}]::${type}[]`;
