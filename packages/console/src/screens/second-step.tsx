import { attemptToOpen, type Faults } from '../attempt';
import { Field, Form, Notice, Submit } from '../components';
import { CONSOLE, localPath, type View, type Visit } from '../page';
import type { VisitorScreen } from '../screen';

/** The second step of a sign-in: a code of the authenticator, or a recovery code. */
export const secondStepScreen: VisitorScreen = {
  path: '/sign-in/second-factor',
  // It has nothing to show by itself: the first step leads here.
  show: async () => ({ location: `${CONSOLE}/sign-in` }),
  submit: async (visit) => {
    const { form } = visit;
    const step = { challenge: form.text('challenge'), next: localPath(form.text('next')) };
    const recovery_code = form.given('recovery_code');
    const proof = recovery_code === undefined ? { code: form.text('code') } : { recovery_code };
    const body = { challenge: step.challenge, ...proof };
    const outcome = await attemptToOpen(() => visit.call('completeLogin', { body }));
    if ('faults' in outcome) return secondStepPage(visit, step, outcome.faults);
    visit.begin(outcome.done.value);
    return { location: step.next };
  },
};

/** Asks for the code; the form carries the challenge of the first step, and where to go on. */
export function secondStepPage(
  visit: Visit,
  { challenge, next }: { readonly challenge: string; readonly next: string },
  faults?: Faults,
): View {
  const reason = faults?.error.reason;
  const is_wrong = reason === 'SECOND_FACTOR_FAILED';
  const is_over = reason === 'TOKEN_NOT_VALID';
  const shown = is_wrong || is_over ? undefined : faults;
  const with_recovery = visit.form.given('recovery_code') !== undefined;
  const step = (
    <>
      <input type="hidden" name="challenge" value={challenge} />
      <input type="hidden" name="next" value={next} />
    </>
  );
  return {
    title: 'Your second factor',
    status: faults === undefined ? 200 : is_wrong ? 401 : 422,
    body: is_over ? (
      <>
        <Notice kind="bad" alert>
          <p>
            <strong>This sign-in is over.</strong> It took more than five minutes, or there were too
            many wrong codes.
          </p>
        </Notice>
        <p>
          <a class="button" href={`${CONSOLE}/sign-in?${new URLSearchParams({ next })}`}>
            Sign in anew
          </a>
        </p>
      </>
    ) : (
      <>
        {is_wrong && (
          <Notice kind="bad" alert>
            <p>
              <strong>That code is wrong, or was used before.</strong>{' '}
              {with_recovery
                ? 'Each recovery code is good once.'
                : 'Wait for the next one; each is good once.'}
            </p>
          </Notice>
        )}
        <Form page={visit} action={ACTION} faults={with_recovery ? undefined : shown}>
          {step}
          <Field
            name="code"
            label="Code"
            required
            hint="The six digits that your authenticator shows now."
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength={20}
            faults={shown}
            autofocus={!with_recovery}
          />
          <Submit>Sign in</Submit>
        </Form>
        <details open={with_recovery}>
          <summary>Use a recovery code instead</summary>
          <Form page={visit} action={ACTION} faults={with_recovery ? shown : undefined}>
            {step}
            <Field
              name="recovery_code"
              label="Recovery code"
              required
              hint="One of those that you kept when you set the factor up. It is used up by it."
              maxlength={40}
              faults={shown}
              autofocus={with_recovery}
            />
            <Submit quiet>Sign in with it</Submit>
          </Form>
        </details>
        <p class="soft">
          Neither at hand? An administrator of your institution can take the factor off.
        </p>
      </>
    ),
  };
}

const ACTION = `${CONSOLE}/sign-in/second-factor`;
