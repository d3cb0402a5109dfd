import {
  type AppError,
  ERRORS,
  type ErrorDetail,
  isAppError,
  type Reason,
} from '@credit/platform/errors';

/** What was wrong with a form, for the page that shows it again. */
export interface Faults {
  readonly error: AppError;
  readonly details: readonly ErrorDetail[];
  /** Faults by the field's path in the operation's body, as `email`. */
  readonly by_field: ReadonlyMap<string, string>;
}

/**
 * Runs what a form asks for. What the form's sender can put right comes back as faults; anything
 * else, an ended session included, is thrown on.
 */
export async function attempt<Result>(
  run: () => Promise<Result>,
): Promise<{ readonly done: Result } | { readonly faults: Faults }> {
  try {
    return { done: await run() };
  } catch (error) {
    if (!isAppError(error) || !isForSender(error)) throw error;
    const details = error.details.map(({ path, message }) => ({ path, message: said(message) }));
    const by_field = new Map(details.map(({ path, message }) => [path, message]));
    return { faults: { error, details, by_field } };
  }
}

/** As {@link attempt}, for what a visitor proves by a secret: a 401 is a secret that opens nothing. */
export async function attemptToOpen<Result>(run: () => Promise<Result>) {
  try {
    return await attempt(run);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'INVALID_API_KEY') throw error;
    return { faults: { error, details: [], by_field: new Map<string, string>() } };
  }
}

/** What a page can stand without, while a part of the network does not answer; undefined then. */
export async function ifAnswered<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isAppError(error) && ERRORS[error.code].http_status >= 500) return undefined;
    throw error;
  }
}

/** What leads to another page, and is no fault of a form. */
const OWING: readonly Reason[] = ['PASSWORD_CHANGE_REQUIRED', 'SECOND_FACTOR_REQUIRED'];

function isForSender({ code, reason }: AppError): boolean {
  const status = ERRORS[code].http_status;
  return status >= 400 && status < 500 && status !== 401 && !OWING.includes(reason);
}

/** As a page says it: the values that a choice has stand beside the fault already. */
function said(message: string): string {
  return message.startsWith('must be one of ') ? 'must be chosen' : message;
}
