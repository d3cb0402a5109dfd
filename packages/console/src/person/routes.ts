import { html } from '@credit/pages';
import { ERRORS, isAppError, notFound } from '@credit/platform/errors';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { attempt } from '../attempt';
import { errorPage } from '../error-page';
import {
  failWith,
  forgedForm,
  formToken,
  pageHeaders,
  readForm,
  sendView,
  shown,
} from '../form-pages';
import { isFromElsewhere, onceMore } from '../from-elsewhere';
import { framedForEverybody, framedForPerson } from '../layout';
import { PublicVisit, type View, type Visit } from '../page';
import type { ConsoleDeps } from '../routes';
import { isFormToken, SessionCookies } from '../session';
import { CONFIRM, confirm, confirmPage } from './contact';
import { doorPage, openLink, openPage } from './door';
import { PersonCookies, type PersonSession } from './person-session';
import type { PersonScreen } from './screen';
import { PERSON_SCREENS } from './screens';
import { MY, PersonVisit } from './visit';

const ENDED = 'You were here for an hour, or left. Come in again to go on.';

/** Everything below `/my`: what a person finds of the own file, and the ways in. */
export function personRoutes(deps: ConsoleDeps): Router {
  const { deliver, invoke, keys, clock, logger, network_name } = deps;
  const visitors = new SessionCookies(keys, clock);
  const cookies = new PersonCookies(keys, clock);
  const router = express.Router({ caseSensitive: true, strict: true });

  const partsOf = (request: Request, response: Response, session?: PersonSession) => ({
    request,
    response,
    request_id: String(response.locals.request_id),
    environment: session?.environment ?? ('live' as const),
    token: session?.access_token,
    form_token: session?.form_token ?? visitors.visitorToken(),
    invoke,
    begin: () => {
      throw new Error('A person begins no session of a user.');
    },
  });
  const visitOf = (request: Request, response: Response): Visit => {
    const session = cookies.read(request);
    const parts = partsOf(request, response, session);
    return session === undefined
      ? new PublicVisit(parts)
      : new PersonVisit(parts, session.expires_at_ms, deliver);
  };
  const send = (response: Response, visit: Visit, view: View): void =>
    sendView(response, view, ({ title, body }) =>
      visit instanceof PersonVisit
        ? framedForPerson(visit, body, { title, network_name })
        : framedForEverybody(visit, body, { title, network_name }),
    );
  /** For whoever is not in: the page says how to come in, and nothing of what was asked for. */
  const toDoor = (request: Request, response: Response, notice?: string): void => {
    const visit = new PublicVisit(partsOf(request, response));
    send(response, visit, doorPage(visit, notice));
  };

  const isOurs: RequestHandler = (request, response, next) => {
    const session = cookies.read(request);
    const token = formToken(request);
    const is_ours =
      session === undefined ? visitors.isVisitorToken(token) : isFormToken(session, token);
    if (is_ours) next();
    // A form of a session that is over: nothing of it is done.
    else if (session === undefined && token !== '') toDoor(request, response, ENDED);
    else next(forgedForm());
  };

  const serve =
    (act: PersonScreen['show']): RequestHandler =>
    async (request, response) => {
      const visit = visitOf(request, response);
      if (!(visit instanceof PersonVisit)) {
        if (isFromElsewhere(request)) response.type('html').send(onceMore(request));
        else toDoor(request, response);
        return;
      }
      try {
        send(response, visit, await act(visit));
      } catch (error) {
        // Of a document that broke off nothing can be said any more.
        if (response.headersSent) {
          response.destroy();
          return;
        }
        if (isAppError(error) && error.code === 'INVALID_API_KEY') {
          cookies.end(response);
          toDoor(request, response, ENDED);
        } else send(response, visit, errorPage(visit, shown(error, visit.request_id, logger)));
      }
    };

  router.use(MY, pageHeaders);
  router.post([MY, `${MY}/*rest`], ...readForm, isOurs);

  router.get(`${MY}/open`, (request, response) => {
    const visit = new PublicVisit(partsOf(request, response));
    send(response, visit, openPage(visit));
  });
  router.post(`${MY}/open`, async (request, response) => {
    const visit = visitOf(request, response);
    const opened = await openLink(visit);
    if ('faults' in opened) {
      send(response, visit, openPage(visit, opened.faults));
      return;
    }
    cookies.begin(response, opened.done.value);
    response.redirect(303, MY);
  });

  // The mail may be opened where nobody is in.
  router.get(CONFIRM, (request, response) => {
    const visit = new PublicVisit(partsOf(request, response));
    send(response, visit, confirmPage(visit));
  });
  router.post(CONFIRM, async (request, response) => {
    const visit = visitOf(request, response);
    send(response, visit, await confirm(visit));
  });

  router.post(`${MY}/sign-in`, async (request, response) => {
    const visit = visitOf(request, response);
    const begun = await attempt(() => visit.call('beginMySignIn', { body: {} }));
    if ('faults' in begun) {
      const { error } = begun.faults;
      toDoor(request, response, error.message);
      return;
    }
    const { sign_in_token, authorization_url } = begun.done.value;
    cookies.beginSignIn(response, sign_in_token);
    // A form may lead nowhere else; a page may.
    response.type('html').send(goOn(authorization_url, 'Go on to sign in'));
  });
  router.get(`${MY}/signed-in`, async (request, response) => {
    const visit = new PublicVisit(partsOf(request, response));
    const sign_in_token = cookies.takeSignIn(request, response);
    const code = visit.query('code');
    const state = visit.query('state');
    const iss = visit.query('iss');
    if (sign_in_token === undefined || code === undefined || state === undefined) {
      toDoor(request, response, 'You were not signed in. Try again, if you want to.');
      return;
    }
    const body = { sign_in_token, code, state, ...(iss !== undefined && { iss }) };
    const outcome = await attempt(() => visit.call('completeMySignIn', { body }));
    if ('faults' in outcome) {
      toDoor(request, response, outcome.faults.error.message);
      return;
    }
    cookies.begin(response, outcome.done.value);
    // What is asked for on the way back from elsewhere comes without the session.
    response.type('html').send(goOn(MY, 'Go on to your file'));
  });

  router.post(`${MY}/leave`, async (request, response) => {
    const visit = visitOf(request, response);
    // Over already is as good.
    if (visit instanceof PersonVisit) await leave(visit);
    cookies.end(response);
    response.setHeader('Clear-Site-Data', '"cache"');
    response.redirect(303, MY);
  });

  for (const { path, show, submit } of PERSON_SCREENS) {
    router.get(path, serve(show));
    if (submit !== undefined) router.post(path, serve(submit));
  }
  router.all([MY, `${MY}/*rest`], (_request, _response, next) =>
    next(notFound('There is no such page.', 'NO_PAGE')),
  );
  const fail = failWith(visitOf, send, logger);
  router.use(((error, request, response, next) =>
    isPersonPath(request.path)
      ? fail(error, request, response, next)
      : next(error)) satisfies typeof fail);
  return router;
}

/** Whether a path is one of a person's pages, or would be. */
export function isPersonPath(path: string): boolean {
  return path === MY || path.startsWith(`${MY}/`);
}

async function leave(visit: PersonVisit): Promise<void> {
  try {
    await visit.call('endMySession');
  } catch (error) {
    if (!isAppError(error) || ERRORS[error.code].http_status !== 401) throw error;
  }
}

/** A page that leads on by itself, and by a link. */
function goOn(where: string, text: string): string {
  return String(html`<!doctype html>
<html lang="en"><head><title>${text}</title>
<meta http-equiv="refresh" content="0; url=${where}"></head>
<body><p><a href="${where}">${text}</a></p></body></html>
`);
}
