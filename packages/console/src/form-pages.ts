import { pagePolicy } from '@credit/pages';
import { AppError, forbidden, isAppError } from '@credit/platform/errors';
import type { Logger } from '@credit/platform/runtime';
import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { errorPage } from './error-page';
import { type FileGiven, fileFormOf, isFileForm } from './file-form';
import type { View, Visit } from './page';

/** Larger than any form of a page. */
const MAX_FORM_BYTES = '64kb';
const MAX_FORM_FIELDS = 200;

/** What every page with forms answers with. */
export const pageHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', pagePolicy("'self'"));
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  // A page of one reader must not be found by the next.
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** Reads the fields of a form with a file, up to the file; what is no such form goes on. */
export const readFileForm: readonly RequestHandler[] = [
  (request, _response, next) => next(isFileForm(request) ? undefined : 'route'),
  fromOurPages,
  async (request, response, next) => {
    const form = await fileFormOf(request);
    request.body = form.fields;
    response.locals.file = form.file;
    // A browser reads no answer before it has sent all: what is left is read, and thrown away.
    response.once('close', () => form.end());
    response.once('finish', () => form.end());
    next();
  },
];

/** The file of the form that was read; undefined when none was chosen. */
export function fileOf(response: Response): FileGiven | undefined {
  return response.locals.file as FileGiven | undefined;
}

/** Reads a form's fields; one that comes from elsewhere is refused before they are read. */
export const readForm: readonly RequestHandler[] = [
  fromOurPages,
  express.urlencoded({
    extended: false,
    limit: MAX_FORM_BYTES,
    parameterLimit: MAX_FORM_FIELDS,
  }),
];

/** The token that a form was made with; empty when it names none. */
export function formToken(request: Request): string {
  return String((request.body as Record<string, unknown> | undefined)?.form_token ?? '');
}

export function forgedForm(): AppError {
  return forbidden('The form is not one of this session: open the page again.', {
    reason: 'FORGED_FORM',
  });
}

/** What a browser says of where a form comes from; one that says nothing shows its token. */
function fromOurPages(request: Request, _response: Response, next: NextFunction): void {
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const is_ours =
    site === undefined
      ? origin === undefined || URL.parse(origin)?.host === request.get('host')
      : site === 'same-origin';
  next(is_ours ? undefined : forgedForm());
}

/** A failure as a reader may see it; what nobody foresaw is logged. */
export function shown(error: unknown, request_id: string, logger: Logger): AppError {
  if (isAppError(error)) return error;
  const { status } = error as { status?: unknown };
  if (status === 413) return new AppError('REQUEST_TOO_LARGE', 'The form is too large.');
  if (typeof status === 'number' && status < 500) {
    return new AppError('REQUEST_ERROR', 'The form cannot be read.');
  }
  logger.error({ err: error, request_id }, 'a page failed');
  return new AppError('INTERNAL_ERROR', 'An internal error occurred.');
}

/** Sends a page, or leads to another. */
export function sendView(
  response: Response,
  view: View,
  frame: (page: Extract<View, { title: string }>) => string,
): void {
  if (view === 'SENT') return;
  if ('location' in view) {
    response.redirect(303, view.location);
    return;
  }
  if ('file' in view) {
    const { name, type, text } = view.file;
    response.attachment(name).type(type).send(text);
    return;
  }
  response
    .status(view.status ?? 200)
    .type('html')
    .send(frame(view));
}

/** The last handler of a door: what failed before a page could say so is one. */
export function failWith(
  visitOf: (request: Request, response: Response) => Visit,
  send: (response: Response, visit: Visit, view: View) => void,
  logger: Logger,
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const visit = visitOf(request, response);
    send(response, visit, errorPage(visit, shown(error, visit.request_id, logger)));
  };
}
