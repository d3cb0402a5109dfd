import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { characterCount, isVisible } from '@credit/platform/values';

/** The text without surrounding space; a fault is added when it shows nothing or is too long. */
export function requiredText(
  faults: ErrorDetail[],
  path: string,
  text: string,
  max_length: number,
): string {
  const trimmed = text.trim();
  if (!isVisible(trimmed)) faults.push({ path, message: 'is required' });
  else checkLength(faults, path, trimmed, max_length);
  return trimmed;
}

/** As {@link requiredText}, but undefined when left out or empty. */
export function optionalText(
  faults: ErrorDetail[],
  path: string,
  text: string | undefined,
  max_length: number,
): string | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  checkLength(faults, path, trimmed, max_length);
  return trimmed;
}

/** VALIDATION_ERROR when a change names none of the fields: it is a slip, not a success. */
export function assertChange<Field extends string>(
  change: Readonly<Partial<Record<Field, unknown>>>,
  fields: readonly Field[],
): void {
  if (fields.every((field) => change[field] === undefined)) {
    throw invalid('', `must change at least one of ${fields.join(', ')}`);
  }
}

function checkLength(faults: ErrorDetail[], path: string, text: string, max_length: number): void {
  if (characterCount(text) > max_length) {
    faults.push({ path, message: `must have at most ${max_length} characters` });
  }
}
