import type { IncomingMessage } from 'node:http';
import { CONSOLE, isPersonPath, PUBLIC_PATHS } from '@credit/console';
import { SHARED_PATH, sharedFiles } from '@credit/pages';
import { AppError, notFound } from '@credit/platform/errors';
import type { Clock, Logger } from '@credit/platform/runtime';
import { docsRoutes } from '@credit/portal';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { anonymousRate, commonHeaders, errorAnswer, send } from './answer';
import { requestId } from './exchange';
import { isTurnedAway, type LoadGate } from './load-gate/load-gate';
import type { Readiness } from './readiness';
import { bodyFault, headFault } from './request-head';

export interface AppDeps {
  readonly openapi: Record<string, unknown>;
  /** Where the guides are; beside the gateway's own folder when left out. */
  readonly docs_directory: string | undefined;
  /** Whom the documentation names for help. */
  readonly support_email: string | undefined;
  /** The pages with forms: everything below /console, and what is everybody's; undefined where there are none. */
  readonly pages:
    | {
        readonly console: RequestHandler;
        readonly everybody: RequestHandler;
        readonly persons: RequestHandler;
      }
    | undefined;
  readonly readiness: Pick<Readiness, 'state'>;
  readonly gate: Pick<LoadGate, 'refuseIfOverloaded'>;
  readonly anonymous_per_minute: number;
  /** TLS ends in front of the gateway. */
  readonly over_tls: boolean;
  readonly docs_origin: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
}

const APP_PATHS = new Set(['/', '/docs', '/favicon.ico', '/healthz', '/llms.txt', '/readyz']);

/** True for what express carries: the rest is the interpreter's. */
export function isAppPath(request: IncomingMessage): boolean {
  const url = request.url ?? '';
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  if (path === CONSOLE || path.startsWith(`${CONSOLE}/`) || isPersonPath(path)) {
    return request.method === 'GET' || request.method === 'POST';
  }
  const is_read = request.method === 'GET' || request.method === 'HEAD';
  if (PUBLIC_PATHS.has(path) && (is_read || request.method === 'POST')) return true;
  if (!is_read) return false;
  return APP_PATHS.has(path) || path.startsWith('/docs/') || path.startsWith(`${SHARED_PATH}/`);
}

/** Pages, documentation and probes. */
export function buildApp(deps: AppDeps): Express {
  const { clock, newId, logger } = deps;
  const docs = docsRoutes(deps.openapi, deps.docs_directory, deps.support_email);
  const app = express();
  app.disable('x-powered-by');

  const prepare: RequestHandler = (request, response, next) => {
    const request_id = requestId(request, newId);
    const rate = anonymousRate(deps.anonymous_per_minute, clock.now_ms());
    const headers = commonHeaders(request_id, rate, deps.over_tls);
    for (let i = 0; i < headers.length; i += 2) {
      response.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
    }
    response.locals.request_id = request_id;
    next(headFault(request) ?? bodyFault(request));
  };
  const fail: ErrorRequestHandler = (error, request, response, _next) => {
    const shown =
      error instanceof AppError
        ? error
        : new AppError('INTERNAL_ERROR', 'An internal error occurred.');
    const request_id = String(response.locals.request_id);
    if (shown.code === 'INTERNAL_ERROR' && !isTurnedAway(shown))
      logger.error({ err: error, request_id }, 'request failed');
    const { status, text, headers } = errorAnswer(shown, request_id, deps.docs_origin);
    send({ request, response, broken: undefined }, status, headers, text);
  };

  app.use(prepare);
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', (_request, response) => {
    const { state } = deps.readiness;
    response.status(state === 'ready' ? 200 : 503).json({ status: state });
  });
  if (deps.pages !== undefined) {
    app.use(CONSOLE, deps.pages.console);
    app.use(deps.pages.everybody);
    app.use(deps.pages.persons);
  }
  app.use((_request, _response, next) => {
    deps.gate.refuseIfOverloaded();
    next();
  });
  app.get(['/favicon.ico', `${SHARED_PATH}/*name`], sharedFiles());
  app.get(['/', '/llms.txt', /^\/docs(?:\/|$)/], docs);
  app.use((_request, _response, next) => next(notFound('There is no such page.', 'NO_PAGE')));
  app.use(fail);
  return app;
}
