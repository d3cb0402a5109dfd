import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Submit, TokenField } from '../components';
import { isTypedTwice, NewPassword } from '../new-password';
import { CONSOLE, type View, type Visit } from '../page';
import type { VisitorScreen } from '../screen';

/** Asking for a link that sets a new password. The answer is the same for everybody. */
export const forgotScreen: VisitorScreen = {
  path: '/forgot-password',
  show: async (visit) => forgotPage(visit),
  submit: async (visit) => {
    const email = visit.form.text('email').trim();
    const outcome = await attempt(() => visit.call('forgotPassword', { body: { email } }));
    if ('faults' in outcome) return forgotPage(visit, outcome.faults);
    return {
      title: 'Look into your mail',
      body: (
        <Notice kind="good">
          <p>If {email} belongs to a user, a link is on its way. It works once, within an hour.</p>
          <p>
            <a href={`${CONSOLE}/sign-in`}>Back to signing in</a>
          </p>
        </Notice>
      ),
    };
  },
};

function forgotPage(visit: Visit, faults?: Faults): View {
  return {
    title: 'Forgot your password?',
    status: faults === undefined ? 200 : 422,
    body: (
      <Form page={visit} faults={faults}>
        <Field
          name="email"
          label="E-mail address"
          type="email"
          required
          autocomplete="username"
          value={visit.form.text('email')}
          faults={faults}
        />
        <Submit>Send me a link</Submit>
      </Form>
    ),
  };
}

/** Where that link leads; as with an invitation, a script takes the token out of the fragment. */
export const resetScreen: VisitorScreen = {
  path: '/reset-password',
  show: async (visit) => resetPage(visit),
  submit: async (visit) => {
    const { form } = visit;
    const new_password = form.text('new_password');
    if (!isTypedTwice(form, 'new_password')) return resetPage(visit, undefined, true);
    const body = { token: form.text('token').trim(), new_password };
    const outcome = await attempt(() => visit.call('resetForgottenPassword', { body }));
    if ('faults' in outcome) return resetPage(visit, outcome.faults);
    return {
      title: 'Your password is set',
      body: (
        <Notice kind="good">
          <p>All sessions have ended.</p>
          <p>
            <a href={`${CONSOLE}/sign-in`}>Sign in</a>
          </p>
        </Notice>
      ),
    };
  },
};

function resetPage(visit: Visit, faults?: Faults, differs = false): View {
  return {
    title: 'Choose a new password',
    status: faults !== undefined || differs ? 422 : 200,
    body: (
      <>
        <Form page={visit} faults={faults}>
          <TokenField
            page={visit}
            label="From your mail"
            hint="It is in the link, after “token=”."
            faults={faults}
          />
          <NewPassword name="new_password" label="New password" faults={faults} differs={differs} />
          <Submit>Save</Submit>
        </Form>
      </>
    ),
  };
}
