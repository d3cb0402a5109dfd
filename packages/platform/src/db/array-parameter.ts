import pg from 'pg';

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/**
 * A column's values as the parameter of an array: bytes in binary, half as long as the hexadecimal
 * that pg writes, and anything else as text, made in a fraction of pg's time. Undefined when there
 * is something that only pg can write.
 */
export function arrayParameter(values: readonly unknown[]): Buffer | string | undefined {
  return values.some(Buffer.isBuffer) ? bytesArray(values) : arrayText(values);
}

/** PostgreSQL's binary form of bytea[]. */
function bytesArray(values: readonly unknown[]): Buffer | undefined {
  let size_bytes = HEADER_BYTES;
  let has_null = 0;
  for (const value of values) {
    size_bytes += LENGTH_BYTES;
    if (Buffer.isBuffer(value)) size_bytes += value.length;
    else if (value === null || value === undefined) has_null = 1;
    else return undefined;
  }
  const bytes = Buffer.allocUnsafe(size_bytes);
  // Dimensions, whether there is a null, the elements' type, how many, the first one's index.
  let at = 0;
  for (const part of [1, has_null, pg.types.builtins.BYTEA, values.length, 1]) {
    at = bytes.writeInt32BE(part, at);
  }
  for (const value of values) {
    if (Buffer.isBuffer(value)) {
      at = bytes.writeInt32BE(value.length, at);
      at += value.copy(bytes, at);
    } else {
      at = bytes.writeInt32BE(NULL_LENGTH, at);
    }
  }
  return bytes;
}

function arrayText(values: readonly unknown[]): string | undefined {
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
        if (value !== null && value !== undefined) return undefined;
        text += 'NULL';
    }
  }
  return `${text}}`;
}

function quoted(value: string): string {
  if (!value.includes('"') && !value.includes('\\')) return `"${value}"`;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
