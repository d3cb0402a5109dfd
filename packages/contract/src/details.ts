import type { ErrorDetail } from '@credit/platform/errors';
import type { z } from 'zod';

/** One hostile batch must not grow the answer without bound. */
const MAX_DETAILS = 100;
const MAX_NAME_LENGTH = 100;

/** `['events', 3, 'amount']` as `events[3].amount`. */
function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

/** zod's findings as the error envelope shows them. */
export function toDetails(issues: readonly z.core.$ZodIssue[]): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const issue of issues) {
    if (details.length >= MAX_DETAILS) break;
    if (issue.code !== 'unrecognized_keys') {
      details.push({ path: pathText(issue.path), message: issue.message });
      continue;
    }
    for (const key of issue.keys.slice(0, MAX_DETAILS - details.length)) {
      const name = key.length > MAX_NAME_LENGTH ? `${key.slice(0, MAX_NAME_LENGTH)}…` : key;
      // The name is the caller's own text: half a surrogate pair must not reach the answer.
      details.push({
        path: pathText([...issue.path, name.toWellFormed()]),
        message: 'is not a known field',
      });
    }
  }
  return details;
}
