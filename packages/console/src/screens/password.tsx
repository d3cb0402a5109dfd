import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Submit } from '../components';
import { isTypedTwice, NewPassword } from '../new-password';
import { CONSOLE, type Page, type View } from '../page';
import { everybody, type Screen } from '../screen';
import { secondStepPage } from './second-step';

/** Choosing a password: at the first sign-in with a temporary one, and later at will. */
export const passwordScreen: Screen = {
  path: '/password',
  place: { section: 'You', label: 'Password' },
  isFor: everybody,
  show: async (page) => passwordPage(page),
  submit: async (page) => {
    const { form } = page;
    const new_password = form.text('new_password');
    if (!isTypedTwice(form, 'new_password')) return passwordPage(page, undefined, true);
    const body = { current_password: form.text('current_password'), new_password };
    const outcome = await attempt(() => page.call('changePassword', { body }));
    if ('faults' in outcome) return passwordPage(page, outcome.faults);
    // The change ends every session, this one too: its owner has just shown the new password.
    const { value } = await page.call('login', {
      body: { email: page.me.email, password: new_password },
    });
    const next = `${CONSOLE}?done=password`;
    if (value.type === 'second_factor') return secondStepPage(page, { ...value, next });
    page.begin(value);
    return { location: next };
  },
};

function passwordPage(page: Page, faults?: Faults, differs = false): View {
  const is_first = page.me.must_change_password;
  return {
    title: is_first ? 'Choose your password' : 'Change your password',
    status: faults !== undefined || differs ? 422 : 200,
    body: (
      <>
        {is_first && (
          <Notice>
            <p>The password that you were given was for this once. Choose one of your own.</p>
          </Notice>
        )}
        <Form page={page} faults={faults}>
          <Field
            name="current_password"
            label={is_first ? 'The password that you were given' : 'Current password'}
            type="password"
            required
            autocomplete="current-password"
            faults={faults}
          />
          <NewPassword name="new_password" label="New password" faults={faults} differs={differs} />
          <Submit>Save</Submit>
        </Form>
      </>
    ),
  };
}
