import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, type PageFile, ServedFiles } from '@credit/pages';
import type { KeyRing } from '@credit/platform/credentials';
import { ERRORS, isAppError, notFound } from '@credit/platform/errors';
import type { Clock, Logger } from '@credit/platform/runtime';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Deliver, Invoke } from './api';
import { attempt } from './attempt';
import { errorPage } from './error-page';
import {
  failWith,
  fileOf,
  forgedForm,
  formToken,
  pageHeaders,
  readFileForm,
  readForm,
  sendView,
  shown,
} from './form-pages';
import { isFromElsewhere, onceMore } from './from-elsewhere';
import { CONSOLE_STATIC, framed } from './layout';
import {
  asksForPart,
  CONSOLE,
  type Environment,
  Page,
  type Reader,
  type View,
  Visit,
} from './page';
import { Renewals } from './renewals';
import type { Screen } from './screen';
import { SCREENS, VISITOR_SCREENS } from './screens';
import { passwordScreen } from './screens/password';
import { secondFactorScreen } from './screens/second-factor';
import { isFormToken, type Session, SessionCookies, type Tokens } from './session';

export interface ConsoleDeps {
  readonly invoke: Invoke;
  readonly deliver: Deliver;
  /** What session cookies are sealed with; the same for all gateways. */
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the pages call the network. */
  readonly network_name: string;
}

/** What a visit carries from one step to the next. */
export interface Visited {
  readonly request_id: string;
  readonly environment: Environment;
  session: Session | undefined;
}

const VISITOR_PATHS: ReadonlySet<string> = new Set(VISITOR_SCREENS.map(({ path }) => path));

const STATIC_DIRECTORIES = ['../static', '../dist/browser'].map((folder) =>
  path.resolve(__dirname, folder),
);

function* staticFiles(): Generator<readonly [string, PageFile]> {
  for (const [name, file] of filesOf(STATIC_DIRECTORIES)) yield [`${CONSOLE_STATIC}/${name}`, file];
  const body = readFileSync(require.resolve('htmx.org/dist/htmx.min.js'), 'utf8');
  yield [`${CONSOLE_STATIC}/htmx.js`, { type: 'js', body }];
}

let files: ServedFiles | undefined;

/** Everything below `/console`. */
export function consoleRoutes(deps: ConsoleDeps): Router {
  const { invoke, keys, clock, logger, network_name } = deps;
  const cookies = new SessionCookies(keys, clock);
  const renewals = new Renewals(invoke, cookies);
  files ??= new ServedFiles(staticFiles());
  const made = files;
  const router = express.Router({ caseSensitive: true });

  const visitOf = (request: Request, response: Response, visited: Visited): Visit =>
    new Visit({
      request,
      response,
      ...visited,
      token: undefined,
      form_token: cookies.visitorToken(),
      invoke,
      begin: (tokens) => cookies.begin(response, tokens),
    });

  /** The page of whoever is signed in; undefined when nobody is, or the session was ended. */
  const pageOf = async (request: Request, response: Response): Promise<Page | undefined> => {
    const visited = visitedOf(response);
    const { request_id } = visited;
    const session =
      visited.session && (await renewals.renewed(request, response, request_id, visited.session));
    visited.session = session;
    if (session === undefined) return undefined;
    const caller = { request, response, request_id, token: session.access_token };
    const me = await readerOf(invoke, caller);
    if (me === undefined) return undefined;
    const { access_token: token, form_token } = session;
    const begin = (tokens: Tokens) => cookies.begin(response, tokens);
    const parts = { request, response, ...visited, token, form_token, invoke, begin };
    return new Page(parts, me, deps.deliver);
  };

  const send = (response: Response, visit: Visit, view: View): void =>
    sendView(response, view, ({ title, body }) =>
      // Of a reader who owes something no other screen opens.
      framed(visit, body, { title, screens: owes(visit) ? [] : SCREENS, network_name }),
    );

  const toSignIn = (request: Request, response: Response): void => {
    cookies.end(response);
    const next = request.method === 'GET' ? request.originalUrl : CONSOLE;
    const sign_in = `${CONSOLE}/sign-in?${new URLSearchParams({ next })}`;
    // What asks for a part of a page is to leave the page, not to put another into it.
    if (asksForPart(request)) response.setHeader('HX-Redirect', sign_in).end();
    else response.redirect(303, sign_in);
  };

  const serve =
    (screen: Screen, act: (page: Page) => Promise<View>): RequestHandler =>
    async (request, response) => {
      const page = await pageOf(request, response);
      if (page === undefined) {
        if (isFromElsewhere(request)) response.type('html').send(onceMore(request));
        else toSignIn(request, response);
        return;
      }
      const first = firstOf(page.me);
      if (first !== undefined && screen.path !== first) {
        response.redirect(303, `${CONSOLE}${first}`);
        return;
      }
      try {
        if (!screen.isFor(page.me, page.environment))
          throw notFound('There is no such page.', 'NO_PAGE');
        send(response, page, await act(page));
      } catch (error) {
        // Of a document that broke off nothing can be said any more.
        if (response.headersSent) {
          response.destroy();
          return;
        }
        // The session was ended while the page was made.
        if (isAppError(error) && error.code === 'INVALID_API_KEY') toSignIn(request, response);
        else send(response, page, errorPage(page, shown(error, page.request_id, logger)));
      }
    };

  router.get(/^\/static\//, (request, response, next) => {
    if (!made.answer(request, response, request.originalUrl))
      next(notFound('There is no such file.'));
  });
  router.use(pageHeaders, (request, response, next) => {
    const visited: Visited = {
      request_id: String(response.locals.request_id),
      environment: /^\/test(?:\/|$)/.test(request.path) ? 'test' : 'live',
      session: cookies.read(request),
    };
    response.locals.visited = visited;
    next();
  });
  const isOurs: RequestHandler = (request, response, next) => {
    const { session } = visitedOf(response);
    const token = formToken(request);
    // A visitor's token is anybody's to have: it is good for the pages of visitors alone.
    const is_ours =
      (session !== undefined && isFormToken(session, token)) ||
      (VISITOR_PATHS.has(request.path) && cookies.isVisitorToken(token));
    // A form of a session that has ended leads to a new one: nothing of it is done.
    if (is_ours) next();
    else if (session === undefined && token !== '') toSignIn(request, response);
    else next(forgedForm());
  };
  for (const screen of SCREENS) {
    const { upload } = screen;
    if (upload === undefined) continue;
    const take: RequestHandler = (request, response, next) =>
      serve(screen, (page) => upload(page, fileOf(response)))(request, response, next);
    router.post(pathsOf(screen), ...readFileForm, isOurs, take);
  }
  router.post(/.*/, ...readForm, isOurs);
  router.get('/sign-in', async (request, response, next) => {
    // Whoever is in already goes on.
    const is_in = visitedOf(response).session !== undefined;
    if (is_in && (await pageOf(request, response)) !== undefined) response.redirect(303, CONSOLE);
    else next();
  });
  for (const { path, show, submit } of VISITOR_SCREENS) {
    const serveVisitor =
      (act: (visit: Visit) => Promise<View>): RequestHandler =>
      async (request, response) => {
        const visit = visitOf(request, response, visitedOf(response));
        send(response, visit, await act(visit));
      };
    router.get(path, serveVisitor(show));
    if (submit !== undefined) router.post(path, serveVisitor(submit));
  }
  router.post('/sign-out', async (request, response) => {
    const page = await pageOf(request, response);
    // Ended already is as good.
    if (page !== undefined) await attempt(() => page.call('logout'));
    cookies.end(response);
    response.setHeader('Clear-Site-Data', '"cache"');
    response.redirect(303, `${CONSOLE}/sign-in`);
  });
  for (const screen of SCREENS) {
    const paths = pathsOf(screen);
    const { submit } = screen;
    router.get(paths, serve(screen, screen.show));
    if (submit !== undefined) router.post(paths, serve(screen, submit));
  }
  router.use((_request, _response, next) => next(notFound('There is no such page.', 'NO_PAGE')));
  router.use(
    failWith((request, response) => visitOf(request, response, visitedOf(response)), send, logger),
  );
  return router;
}

function owes(visit: Visit): boolean {
  return visit instanceof Page && firstOf(visit.me) !== undefined;
}

/** The screen that comes before all others for a reader who owes something; undefined for others. */
function firstOf({ must_change_password, must_set_second_factor }: Reader): string | undefined {
  if (must_change_password) return passwordScreen.path;
  return must_set_second_factor ? secondFactorScreen.path : undefined;
}

function pathsOf({ path, by_environment }: Screen): string[] {
  return by_environment ? [path, `/test${path}`] : [path];
}

function visitedOf(response: Response): Visited {
  return response.locals.visited as Visited;
}

async function readerOf(
  invoke: Invoke,
  caller: Parameters<Invoke>[2],
): Promise<Reader | undefined> {
  try {
    const { value } = await invoke('getCaller', {}, caller);
    return value.type === 'user' ? value : undefined;
  } catch (error) {
    if (isAppError(error) && ERRORS[error.code].http_status === 401) return undefined;
    throw error;
  }
}
