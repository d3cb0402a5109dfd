import { z } from 'zod';
import type { Operation } from './operation';
import { innermost, wires } from './wire';

/** A value of an object, by the way that leads to it. */
export interface FieldOf {
  /** With dots between the objects: `subject.game_uuid`. */
  readonly path: string;
  readonly is_required: boolean;
  readonly description: string | undefined;
  /** Of a closed set. */
  readonly values: readonly string[] | undefined;
}

/**
 * The fields of an object that have one value each, those of objects in it included; of one that is one
 * of several, each once. What is a list, or has names that are data, is left out.
 */
function fieldsOf(schema: z.ZodType): readonly FieldOf[] {
  const encoding = wires.get(innermost(schema))?.encoding;
  if (encoding?.kind === 'variants') {
    const all = [...new Set(encoding.options.values())].map(fieldsOf);
    const found = new Map<string, FieldOf>();
    for (const field of all.flat()) {
      const before = found.get(field.path);
      const is_everywhere = all.every((own) => own.some(({ path }) => path === field.path));
      const is_required = is_everywhere && field.is_required && before?.is_required !== false;
      found.set(field.path, { ...field, ...before, is_required, values: valuesOf(before, field) });
    }
    return [...found.values()];
  }
  if (encoding?.kind !== 'object') return [];
  return Object.entries(encoding.shape).flatMap(([name, inner]): FieldOf[] => {
    const wire = wires.get(innermost(inner));
    const kind = wire?.encoding.kind;
    const is_required = !(inner instanceof z.ZodOptional || inner instanceof z.ZodDefault);
    if (kind === 'object' || kind === 'variants') {
      return fieldsOf(inner).map((field) => ({
        ...field,
        path: `${name}.${field.path}`,
        is_required: is_required && field.is_required,
      }));
    }
    if (kind === undefined || kind === 'list' || kind === 'map' || kind === 'json') return [];
    const { description, enum: known } = wire?.json_schema ?? {};
    const values = wire?.encoding.kind === 'enumeration' ? [...wire.encoding.values] : known;
    return [
      {
        path: name,
        is_required,
        description: description as string | undefined,
        values: values as readonly string[] | undefined,
      },
    ];
  });
}

/** The fields of one item of an operation's batch. */
export function fieldsOfItems({
  body,
  batch,
}: Pick<Operation, 'body' | 'batch'>): readonly FieldOf[] {
  const encoding = body && wires.get(body)?.encoding;
  const items = encoding?.kind === 'object' ? encoding.shape[batch?.field ?? ''] : undefined;
  const list = items && wires.get(innermost(items))?.encoding;
  return list?.kind === 'list' ? fieldsOf(list.item) : [];
}

function valuesOf(before: FieldOf | undefined, field: FieldOf): readonly string[] | undefined {
  if (before?.values === undefined) return field.values;
  return [...new Set([...before.values, ...(field.values ?? [])])];
}
