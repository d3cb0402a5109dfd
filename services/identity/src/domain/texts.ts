import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { isEmail, type TextRule, textFault } from '@credit/platform/values';

/** The text without surrounding space; a fault is added when it is not as its rule says. */
export function requiredText(
  faults: ErrorDetail[],
  path: string,
  text: string,
  rule: TextRule,
): string {
  const trimmed = text.trim();
  const message = trimmed === '' ? 'is required' : textFault(trimmed, rule);
  if (message !== undefined) faults.push({ path, message });
  return trimmed;
}

/** As {@link requiredText}, but undefined when left out or empty. */
export function optionalText(
  faults: ErrorDetail[],
  path: string,
  text: string | undefined,
  rule: TextRule,
): string | undefined {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? undefined : requiredText(faults, path, trimmed, rule);
}

/** The address without surrounding space; a fault is added when it can be none. */
export function requiredEmail(faults: ErrorDetail[], path: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') faults.push({ path, message: 'is required' });
  else if (!isEmail(trimmed)) faults.push({ path, message: 'is not an e-mail address' });
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
