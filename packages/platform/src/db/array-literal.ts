/**
 * A column's values as the text of a PostgreSQL array. Does what pg does for strings, numbers,
 * booleans, bytes and null, in a fraction of the time; undefined when there is anything else.
 */
export function arrayLiteral(values: readonly unknown[]): string | undefined {
  let text = '{';
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (index > 0) text += ',';
    switch (typeof value) {
      case 'string':
        text += quoted(value);
        break;
      case 'number':
      case 'bigint':
      case 'boolean':
        text += String(value);
        break;
      default:
        if (value === null || value === undefined) text += 'NULL';
        else if (Buffer.isBuffer(value)) text += `"\\\\x${value.toString('hex')}"`;
        else return undefined;
    }
  }
  return `${text}}`;
}

function quoted(value: string): string {
  if (!value.includes('"') && !value.includes('\\')) return `"${value}"`;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
