import { isAppError } from '@credit/platform/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Invoke } from '../api';
import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Submit } from '../components';
import { CONSOLE, type Page, type View, type Visit } from '../page';
import type { Visited } from '../routes';
import type { SessionCookies } from '../session';

export interface SignInDeps {
  readonly cookies: SessionCookies;
  readonly invoke: Invoke;
  readonly visitOf: (request: Request, response: Response, visited: Visited) => Visit;
  readonly pageOf: (request: Request, response: Response) => Promise<Page | undefined>;
  readonly send: (response: Response, visit: Visit, view: View) => void;
}

interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly handler: RequestHandler;
}

/** Signing in and out: the pages that work without a session, and what begins and ends one. */
export function signInRoutes(deps: SignInDeps): readonly Route[] {
  const { cookies, visitOf, pageOf, send } = deps;
  const visitTo = (request: Request, response: Response) =>
    visitOf(request, response, response.locals.visited as Visited);
  return [
    {
      method: 'get',
      path: '/sign-in',
      handler: async (request, response) => {
        const visit = visitTo(request, response);
        const next = localPath(visit.query('next'));
        const is_in = (await pageOf(request, response)) !== undefined;
        send(response, visit, is_in ? { location: next } : signInPage(visit, next));
      },
    },
    {
      method: 'post',
      path: '/sign-in',
      handler: async (request, response) => {
        const visit = visitTo(request, response);
        const next = localPath(visit.form.text('next'));
        const body = { email: visit.form.text('email'), password: visit.form.text('password') };
        const outcome = await signingIn(() => visit.call('login', { body }));
        if ('faults' in outcome) {
          send(response, visit, signInPage(visit, next, outcome.faults));
          return;
        }
        const { value } = outcome.done;
        cookies.begin(response, value);
        send(response, visit, {
          location: value.must_change_password ? `${CONSOLE}/password` : next,
        });
      },
    },
    {
      method: 'post',
      path: '/sign-out',
      handler: async (request, response) => {
        const page = await pageOf(request, response);
        // Ended already is as good.
        if (page !== undefined) await attempt(() => page.call('logout'));
        cookies.end(response);
        response.setHeader('Clear-Site-Data', '"cache"');
        const visit = visitTo(request, response);
        send(response, visit, { location: `${CONSOLE}/sign-in` });
      },
    },
  ];
}

/** As {@link attempt}; here a 401 is a wrong password. */
async function signingIn<Result>(run: () => Promise<Result>) {
  try {
    return await attempt(run);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'INVALID_API_KEY') throw error;
    return { faults: { error, by_field: new Map<string, string>() } };
  }
}

/** Where to go on: a page of the console and nothing else. */
function localPath(asked: string | undefined): string {
  const is_ours = asked !== undefined && /^\/console(?:[/?][\w\-./?=&%~:+]*)?$/.test(asked);
  return is_ours && !asked.includes('//') ? asked : CONSOLE;
}

function signInPage(visit: Visit, next: string, faults?: Faults): View {
  const is_wrong = faults?.error.code === 'INVALID_API_KEY';
  return {
    title: 'Sign in',
    status: faults === undefined ? 200 : is_wrong ? 401 : 422,
    body: (
      <>
        {next !== CONSOLE && (
          <Notice>
            <p>You will return to where you were.</p>
          </Notice>
        )}
        {is_wrong && (
          <div class="notice bad" role="alert">
            <p>
              <strong>That address and password do not belong together.</strong>
            </p>
          </div>
        )}
        <Form page={visit} action={`${CONSOLE}/sign-in`} faults={is_wrong ? undefined : faults}>
          <input type="hidden" name="next" value={next} />
          <Field
            name="email"
            label="E-mail address"
            type="email"
            required
            autocomplete="username"
            value={visit.form.text('email')}
            faults={faults}
            autofocus
          />
          <Field
            name="password"
            label="Password"
            type="password"
            required
            autocomplete="current-password"
            faults={faults}
          />
          <Submit>Sign in</Submit>
        </Form>
      </>
    ),
  };
}
