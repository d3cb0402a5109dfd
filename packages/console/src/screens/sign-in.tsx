import { attemptToOpen, type Faults } from '../attempt';
import { Field, Form, Notice, Submit } from '../components';
import { CONSOLE, localPath, type View, type Visit } from '../page';
import type { VisitorScreen } from '../screen';
import { secondStepPage } from './second-step';

/** Signing in; it leads to where the reader was. */
export const signInScreen: VisitorScreen = {
  path: '/sign-in',
  show: async (visit) => signInPage(visit, localPath(visit.query('next'))),
  submit: async (visit) => {
    const next = localPath(visit.form.text('next'));
    const body = { email: visit.form.text('email'), password: visit.form.text('password') };
    const outcome = await attemptToOpen(() => visit.call('login', { body }));
    if ('faults' in outcome) return signInPage(visit, next, outcome.faults);
    const { value } = outcome.done;
    if (value.type === 'second_factor') return secondStepPage(visit, { ...value, next });
    visit.begin(value);
    return { location: next };
  },
};

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
          <Notice kind="bad" alert>
            <p>
              <strong>That address and password do not belong together.</strong>
            </p>
          </Notice>
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
          <div class="row">
            <Submit>Sign in</Submit>
            <a href={`${CONSOLE}/forgot-password`}>Forgot your password?</a>
          </div>
        </Form>
      </>
    ),
  };
}
