import { notFound } from '@credit/platform/errors';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { failWith, forgedForm, formToken, pageHeaders, readForm, sendView } from './form-pages';
import { framedForEverybody } from './layout';
import { PublicVisit, type View, type Visit } from './page';
import { PUBLIC_SCREENS } from './public';
import type { ConsoleDeps } from './routes';
import { SessionCookies } from './session';

/** The pages that anybody finds, outside the console. */
export const PUBLIC_PATHS: ReadonlySet<string> = new Set(PUBLIC_SCREENS.map(({ path }) => path));

/** `/` and what else of the network is everybody's: each page is a visitor's, and keeps no session. */
export function publicRoutes(deps: ConsoleDeps): Router {
  const { invoke, keys, clock, logger, network_name } = deps;
  const cookies = new SessionCookies(keys, clock);
  const router = express.Router({ caseSensitive: true, strict: true });

  const visitOf = (request: Request, response: Response): Visit =>
    new PublicVisit({
      request,
      response,
      request_id: String(response.locals.request_id),
      environment: 'live',
      token: undefined,
      form_token: cookies.visitorToken(),
      invoke,
      begin: (tokens) => cookies.begin(response, tokens),
    });

  const send = (response: Response, visit: Visit, view: View): void =>
    sendView(response, view, ({ title, body }) =>
      framedForEverybody(visit, body, { title, network_name }),
    );

  const serve =
    (act: (visit: Visit) => Promise<View>): RequestHandler =>
    async (request, response) => {
      const visit = visitOf(request, response);
      send(response, visit, await act(visit));
    };
  const isOurs: RequestHandler = (request, _response, next) =>
    next(cookies.isVisitorToken(formToken(request)) ? undefined : forgedForm());

  for (const { path, show, submit } of PUBLIC_SCREENS) {
    router.get(path, pageHeaders, serve(show));
    if (submit !== undefined) router.post(path, pageHeaders, ...readForm, isOurs, serve(submit));
    router.all(path, pageHeaders, (_request, _response, next) =>
      next(notFound('There is no such page.', 'NO_PAGE')),
    );
  }
  // A page that failed is answered as a page; what is no page of these goes on to the next.
  const fail = failWith(visitOf, send, logger);
  router.use(((error, request, response, next) =>
    PUBLIC_PATHS.has(request.path)
      ? fail(error, request, response, next)
      : next(error)) satisfies typeof fail);
  return router;
}
