import { attempt, type Faults } from '../attempt';
import { Facts, Field, Form, Submit, Time, TokenField } from '../components';
import { isTypedTwice, NewPassword } from '../new-password';
import { CONSOLE, type View, type Visit } from '../page';
import type { VisitorScreen } from '../screen';
import { words } from '../words';
import { secondStepPage } from './second-step';

/**
 * Where the link of an invitation leads. Its token is in the fragment, which no server sees: a script
 * puts it into the form, and without scripts the reader does.
 */
export const joinScreen: VisitorScreen = {
  path: '/join',
  show: async (visit) => tokenPage(visit),
  submit: async (visit) => {
    const token = visit.form.text('token').trim();
    const previewed = await attempt(() => visit.call('previewInvitation', { body: { token } }));
    if ('faults' in previewed) return tokenPage(visit, previewed.faults);
    const { value: invitation } = previewed.done;
    if (visit.form.text('step') !== 'accept') return joinPage(visit, token, invitation);
    const password = visit.form.text('password');
    if (!isTypedTwice(visit.form, 'password'))
      return joinPage(visit, token, invitation, undefined, true);
    const body = { token, display_name: visit.form.text('display_name'), password };
    const accepted = await attempt(() => visit.call('acceptInvitation', { body }));
    if ('faults' in accepted) return joinPage(visit, token, invitation, accepted.faults);
    const { value } = await visit.call('login', { body: { email: invitation.email, password } });
    const next = `${CONSOLE}?done=joined`;
    if (value.type === 'second_factor') return secondStepPage(visit, { ...value, next });
    visit.begin(value);
    return { location: next };
  },
};

function tokenPage(visit: Visit, faults?: Faults): View {
  return {
    title: 'Join',
    status: faults === undefined ? 200 : 422,
    body: (
      <Form page={visit} faults={faults}>
        <TokenField
          page={visit}
          label="Your invitation"
          hint="It is in the link that you were sent, after “token=”."
          faults={faults}
        />
        <Submit>Go on</Submit>
        <p class="soft">
          A program can join too: <a href="/docs/guides/quick-start">the quick start</a> says how.
        </p>
      </Form>
    ),
  };
}

interface Invitation {
  readonly institution_name: string;
  readonly email: string;
  readonly role: string;
  readonly expires_at: string;
}

function joinPage(
  visit: Visit,
  token: string,
  invitation: Invitation,
  faults?: Faults,
  differs = false,
): View {
  return {
    title: `Join ${invitation.institution_name}`,
    status: faults !== undefined || differs ? 422 : 200,
    body: (
      <>
        <Facts
          of={[
            ['You will sign in as', invitation.email],
            ['With the role', words(invitation.role)],
            ['Open until', <Time at={invitation.expires_at} />],
          ]}
        />
        <Form page={visit} faults={faults}>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="step" value="accept" />
          <Field
            name="display_name"
            label="Your name"
            required
            autocomplete="name"
            hint="Your colleagues and the audit log see it."
            value={visit.form.text('display_name')}
            faults={faults}
          />
          <NewPassword name="password" label="Password" faults={faults} differs={differs} />
          <Submit>Join</Submit>
        </Form>
      </>
    ),
  };
}
