import type { z } from 'zod';
import { insideName, type JsonText, type Shape, wires } from './wire';

/** Writes a value of the inside as JSON text. */
export type Encoder<Value> = (value: Value) => string;

/**
 * What an encoder takes: as the schema says, but any string or message may be
 * undefined in its type, as in the generated messages. A required one that is
 * undefined all the same is a fault of the service that left it out.
 */
export type Encodable<T> = T extends JsonText
  ? string
  : T extends string | number | boolean | bigint
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Encodable<Item>[]
      : { readonly [K in keyof T]: Encodable<T[K]> | undefined };

/** Compiles the way back of a schema, once; nothing is interpreted per response. */
export function compileEncoder<Schema extends z.ZodType>(
  schema: Schema,
): Encoder<Encodable<z.output<Schema>>> {
  return compile(schema) as Encoder<Encodable<z.output<Schema>>>;
}

type Write = (value: unknown) => string;

function compile(schema: z.ZodType): Write {
  const encoding = wires.get(schema)?.encoding;
  if (encoding === undefined) throw new Error('A response holds a schema that is not of wire.ts.');
  switch (encoding.kind) {
    case 'text':
      return (value) => JSON.stringify(value);
    case 'plain':
      // Ids, times and names of closed sets hold nothing that needs escaping.
      return (value) => `"${value as string}"`;
    case 'number':
    case 'boolean':
      return String;
    case 'money':
      return (value) => moneyText(value as bigint);
    case 'json':
    case 'document':
      return (value) => (value === '' ? 'null' : (value as string));
    case 'enumeration': {
      const written = new Map<unknown, string>(
        [...encoding.values].map((name) => [name, `"${name}"`]),
      );
      return (value) => {
        const text = written.get(value);
        if (text === undefined) throw new Error(`${String(value)} has no name in JSON.`);
        return text;
      };
    }
    case 'object':
      return compileObject(encoding.shape);
    case 'list':
      return compileList(compile(encoding.item));
    case 'map': {
      const write = compile(encoding.value);
      return (value) => {
        const members = Object.entries(value as object).map(
          ([key, item]) => `${JSON.stringify(key)}:${write(item)}`,
        );
        return `{${members.join(',')}}`;
      };
    }
    case 'or_null': {
      const write = compile(encoding.inner);
      const inner = wires.get(encoding.inner)?.encoding;
      if (inner?.kind !== 'enumeration') {
        return (value) => (value === undefined ? 'null' : write(value));
      }
      // The zero value of an enumeration stands for absence too.
      return (value) =>
        value === undefined || !inner.values.has(value as string) ? 'null' : write(value);
    }
    case 'variants': {
      const writers = new Map<unknown, Write>();
      for (const [inside, option] of encoding.options) writers.set(inside, compile(option));
      return (value) => {
        const tag = (value as Record<string, unknown>)[encoding.key];
        const write = writers.get(tag);
        if (write === undefined) throw new Error(`${String(tag)} is no variant.`);
        return write(value);
      };
    }
    default:
      return encoding satisfies never;
  }
}

function compileObject(shape: Shape): Write {
  const fields = Object.entries(shape).map(([name, schema], index) => ({
    name,
    lead: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    source: insideName(name, schema),
    optional: wires.get(schema)?.encoding.kind === 'or_null',
    write: compile(schema),
  }));
  return (value) => {
    const record = value as Record<string, unknown>;
    let text = '';
    for (const field of fields) {
      const item = record[field.source];
      if (item === undefined && !field.optional) throw new Error(`${field.name} is missing.`);
      text += field.lead + field.write(item);
    }
    return `${text}}`;
  };
}

function compileList(write: Write): Write {
  return (value) => {
    const items = value as readonly unknown[];
    let text = '[';
    for (let i = 0; i < items.length; i++)
      text += i === 0 ? write(items[i]) : `,${write(items[i])}`;
    return `${text}]`;
  };
}

/** Minor units as a JSON number, digit by digit: 1250n is 12.5, 1200n is 12. */
export function moneyText(minor: bigint): string {
  if (minor < 0n) return `-${moneyText(-minor)}`;
  const digits = minor.toString().padStart(3, '0');
  const whole = digits.slice(0, -2);
  const fraction = digits.slice(-2);
  if (fraction === '00') return whole;
  return fraction.endsWith('0') ? `${whole}.${fraction[0]}` : `${whole}.${fraction}`;
}
