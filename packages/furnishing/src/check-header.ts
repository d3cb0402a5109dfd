import { operations } from '@credit/contract';
import { faultsOf, ONE_OF_BOTH, parsed, ruled } from './check-row';
import { fieldOf, put } from './read-rows';
import type { Fault, Fields, Kind, Mapping } from './row';

const UNKNOWN = 'is not a known field';
const MISSING = 'is required';
const NO_TEXT = 'must be an object';
/** Of a row that describes a subject, each its own fields. */
const SUBJECT_TYPES = ['INDIVIDUAL', 'ORGANISATION'];

/**
 * Columns that a mapping names and the file lacks, those that no row can have and those that every
 * row lacks: told once, and not of each row. A column that only one type of subject has is right.
 */
export function headerFaults(
  names: readonly string[],
  mapping: Mapping,
  kind: Kind,
): readonly Fault[] {
  const lacking = Object.keys(mapping.columns ?? {}).filter((name) => !names.includes(name));
  if (lacking.length > 0) {
    return lacking.map((field) => ({
      line: 1,
      code: 'MISSING_COLUMN',
      field,
      message: 'is named by the mapping and is no column of the file',
    }));
  }
  const faults = SUBJECT_TYPES.map((type) => {
    const fields: Fields = {};
    for (const [field, text] of Object.entries(mapping.constants ?? {})) put(fields, field, text);
    for (const name of names) {
      const field = fieldOf(name, mapping);
      if (field !== undefined) put(fields, field, field === 'subject.type' ? type : 'x');
    }
    return faultsOf({ line: 1, fields }, kind).filter(({ message }) =>
      [UNKNOWN, MISSING, ONE_OF_BOTH, NO_TEXT].some((text) => message.startsWith(text)),
    );
  });
  const [first = [], ...others] = faults;
  return first.filter(({ field, message }) =>
    others.every((other) => other.some((same) => same.field === field && same.message === message)),
  );
}

/**
 * What a file or an answer holds as a mapping of a kind, in the form in which the API keeps it, or
 * everything against it.
 */
export function readMapping(
  value: unknown,
  kind: Kind,
): { readonly mapping: Mapping } | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const own_kind = kind.toUpperCase();
  const body =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { kind: own_kind, ...value }
      : value;
  const kept = parsed(operations.saveImportMapping, body, (path, message) =>
    faults.push(ruled(0, path, message)),
  );
  if (kept === undefined) return { faults };
  if (kept.kind !== own_kind) return { faults: [ruled(0, 'kind', `must be ${own_kind} here`)] };
  const mapping = mappingOf(kept);
  const against = mappingFaults(mapping, kind);
  return against.length > 0 ? { faults: against } : { mapping };
}

/** What is kept as text. */
export function mappingOf({
  columns_json,
  constants_json,
}: {
  readonly columns_json?: string | undefined;
  readonly constants_json?: string | undefined;
}): Mapping {
  return {
    columns: columns_json === undefined ? undefined : JSON.parse(columns_json),
    constants: constants_json === undefined ? undefined : JSON.parse(constants_json),
  };
}

/** What no file could be read by: told with the mapping's column or field as the fault's. */
function mappingFaults(mapping: Mapping, kind: Kind): readonly Fault[] {
  const { columns = {}, constants = {} } = mapping;
  const faults: Fault[] = [];
  const wrong = (path: string, message: string) => faults.push(ruled(0, path, message));
  const first_of = new Map<string, string>();
  for (const [column, field] of Object.entries(columns)) {
    const first = first_of.get(field);
    if (first !== undefined) {
      wrong(`columns.${column}`, `is ${field}, and so is "${first}": a field has one column`);
    } else {
      first_of.set(field, column);
    }
  }
  const given = [
    ...Object.entries(columns).map(([column, of]) => ({ path: `columns.${column}`, of })),
    ...Object.keys(constants).map((of) => ({ path: `constants.${of}`, of })),
  ];
  for (const { field, message } of headerFaults(Object.keys(columns), mapping, kind)) {
    if (message.startsWith(MISSING) || message.startsWith(ONE_OF_BOTH)) {
      if (mapping.columns !== undefined) wrong('columns', `must name a column for ${field}`);
      continue;
    }
    const whole = given.filter(({ of }) => of === field);
    for (const { path } of whole) wrong(path, `is ${field}, which ${message}`);
    if (whole.length > 0) continue;
    for (const { path, of } of given) {
      if (of.startsWith(`${field}.`)) wrong(path, `is ${of}: ${field} ${message}`);
    }
  }
  const fields: Fields = {};
  for (const [field, text] of Object.entries(constants)) put(fields, field, text);
  for (const { field, message } of faultsOf({ line: 0, fields }, kind)) {
    const is_told = message.startsWith(UNKNOWN) || message.startsWith(NO_TEXT);
    if (!is_told && Object.hasOwn(constants, field)) wrong(`constants.${field}`, message);
  }
  return faults;
}
