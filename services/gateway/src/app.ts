import type { IncomingMessage } from 'node:http';
import { AppError, notFound } from '@credit/platform/errors';
import type { Clock, Logger } from '@credit/platform/runtime';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { anonymousRate, commonHeaders, errorAnswer } from './answer';
import { DOCS_STYLE, renderDocs } from './docs-page';
import { requestId } from './exchange';
import type { Readiness } from './readiness';

export interface AppDeps {
  readonly openapi: Record<string, unknown>;
  readonly readiness: Pick<Readiness, 'state'>;
  readonly anonymous_per_minute: number;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
}

const APP_PATHS = new Set(['/docs', '/docs/style.css', '/healthz', '/readyz']);

/** True for what express carries: the rest is the interpreter's. */
export function isAppPath(request: IncomingMessage): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const url = request.url ?? '';
  const at = url.indexOf('?');
  return APP_PATHS.has(at < 0 ? url : url.slice(0, at));
}

/** Nothing on the page runs, and nothing comes from another host. */
const DOCS_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Documentation and probes. */
export function buildApp(deps: AppDeps): Express {
  const { clock, newId, logger } = deps;
  const docs = renderDocs(deps.openapi);
  const app = express();
  app.disable('x-powered-by');

  const prepare: RequestHandler = (request, response, next) => {
    const request_id = requestId(request, newId);
    const rate = anonymousRate(deps.anonymous_per_minute, clock.now_ms());
    const headers = commonHeaders(request_id, rate);
    for (let i = 0; i < headers.length; i += 2) {
      response.setHeader(headers[i] ?? '', headers[i + 1] ?? '');
    }
    response.locals.request_id = request_id;
    next();
  };
  const fail: ErrorRequestHandler = (error, _request, response, _next) => {
    const shown =
      error instanceof AppError
        ? error
        : new AppError('INTERNAL_ERROR', 'An internal error occurred.');
    const request_id = String(response.locals.request_id);
    if (shown.code === 'INTERNAL_ERROR') logger.error({ err: error, request_id }, 'request failed');
    const { status, text } = errorAnswer(shown, request_id);
    response.status(status).type('application/json').send(text);
  };

  app.use(prepare);
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', (_request, response) => {
    const { state } = deps.readiness;
    response.status(state === 'ready' ? 200 : 503).json({ status: state });
  });
  app.get('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', DOCS_POLICY);
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.type('html').send(docs);
  });
  app.get('/docs/style.css', (_request, response) => {
    response.type('css').send(DOCS_STYLE);
  });
  app.use((_request, _response, next) => next(notFound('There is no such page.')));
  app.use(fail);
  return app;
}
