import { attempt, type Faults } from '../attempt';
import { Badge, count, Done, Facts, Field, Form, Notice, Submit } from '../components';
import { CONSOLE, type Page, type View } from '../page';
import { QrCode } from '../qr-code';
import { everybody, type Screen } from '../screen';

const PATH = '/second-factor';

/** Fewer than this, and the page says that there should be more. */
const FEW_CODES = 3;

/** One's own second factor: setting it up, new recovery codes, removing it. */
export const secondFactorScreen: Screen = {
  path: PATH,
  place: { section: 'You', label: 'Second factor' },
  isFor: everybody,
  show: async (page) => factorPage(page),
  submit: async (page) => {
    switch (page.form.text('act')) {
      case 'begin':
        return begin(page);
      case 'confirm':
        return confirm(page);
      case 'renew':
        return renew(page);
      default:
        return remove(page);
    }
  },
};

async function begin(page: Page): Promise<View> {
  const body = { current_password: page.form.text('current_password') };
  const outcome = await attempt(() => page.call('beginSecondFactor', { body }));
  if ('faults' in outcome) return factorPage(page, outcome.faults);
  return offeredPage(page, outcome.done.value.otpauth_uri);
}

async function confirm(page: Page): Promise<View> {
  const { form } = page;
  const body = { code: form.text('code') };
  const outcome = await attempt(() => page.call('confirmSecondFactor', { body }));
  if (!('faults' in outcome)) {
    return codesPage(page, outcome.done.value.recovery_codes, 'Your second factor is set up');
  }
  return offeredPage(page, form.text('offered'), outcome.faults);
}

async function renew(page: Page): Promise<View> {
  const outcome = await attempt(() => page.call('renewRecoveryCodes', { body: proofOf(page) }));
  if ('faults' in outcome) return factorPage(page, outcome.faults);
  return codesPage(page, outcome.done.value.recovery_codes, 'New recovery codes');
}

async function remove(page: Page): Promise<View> {
  const outcome = await attempt(() => page.call('removeSecondFactor', { body: proofOf(page) }));
  if ('faults' in outcome) return factorPage(page, outcome.faults);
  return { location: page.href(PATH, { done: 'removed' }) };
}

/** One field takes either code: those of the authenticator are digits. */
function isOtp(text: string): boolean {
  return /^[\d\s]*$/.test(text);
}

function proofOf({ form }: Page) {
  const code = form.text('code');
  const current_password = form.text('current_password');
  return isOtp(code) ? { current_password, code } : { current_password, recovery_code: code };
}

function factorPage(page: Page, faults?: Faults): View {
  return {
    title: 'Second factor',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done
          page={page}
          says={{
            removed: page.me.must_set_second_factor
              ? 'The second factor is removed.'
              : 'The second factor is removed: your password alone signs you in.',
          }}
        />
        {page.me.second_factor ? (
          <Enrolled page={page} faults={faults} />
        ) : (
          <NotEnrolled page={page} faults={faults} />
        )}
      </>
    ),
  };
}

interface Part {
  readonly page: Page;
  readonly faults: Faults | undefined;
}

const NotEnrolled = ({ page, faults }: Part) => (
  <>
    {page.me.must_set_second_factor && (
      <Notice>
        <p>
          <strong>This network asks for a second factor.</strong> Set yours up first; everything
          else opens with it.
        </p>
      </Notice>
    )}
    <p>
      With a second factor your password alone opens nothing: each sign-in also asks for a code that
      an app on your phone shows. Any authenticator app does.
    </p>
    <Form page={page} faults={faults}>
      <Field
        name="current_password"
        label="Your password"
        type="password"
        required
        autocomplete="current-password"
        hint="So that nobody sets one up at a screen that you left."
        faults={faults}
      />
      <Submit name="act" value="begin">
        Set up a second factor
      </Submit>
    </Form>
  </>
);

const Enrolled = ({ page, faults }: Part) => {
  const left = page.me.recovery_codes_left;
  return (
    <>
      <Facts
        of={[
          ['State', <Badge tone="good">On</Badge>],
          ['Recovery codes left', `${count(left)} of 10`],
        ]}
      />
      {left < FEW_CODES && (
        <Notice kind="bad">
          <p>
            <strong>Few recovery codes are left.</strong> Without one, a lost phone takes an
            administrator to get you in again.
          </p>
        </Notice>
      )}
      <h2>Change it</h2>
      <Form page={page} faults={faults} labels={{ recovery_code: 'Code' }}>
        <Field
          name="current_password"
          label="Your password"
          type="password"
          required
          autocomplete="current-password"
          faults={faults}
        />
        <Field
          name="code"
          label="Code"
          required
          hint="Of your authenticator, or a recovery code."
          autocomplete="one-time-code"
          maxlength={40}
          path={isOtp(page.form.text('code')) ? 'code' : 'recovery_code'}
          faults={faults}
        />
        <p class="soft">New recovery codes put all that you have out of use.</p>
        <Submit quiet name="act" value="renew">
          Get new recovery codes
        </Submit>
        <p class="soft">Removed, your password alone signs you in, from everywhere.</p>
        <Submit danger name="act" value="remove">
          Remove the second factor
        </Submit>
      </Form>
    </>
  );
};

/** The secret, to be read by an app. The form carries it along, so that a mistyped code shows it again. */
function offeredPage(page: Page, uri: string, faults?: Faults): View {
  const secret = URL.parse(uri)?.searchParams.get('secret') ?? '';
  return {
    title: 'Set up a second factor',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <ol class="steps">
          <li>
            <p>Let your authenticator app read this picture.</p>
            <QrCode text={uri} says="What the authenticator reads; the same stands below as text" />
            <details>
              <summary>Type it by hand instead</summary>
              <p>
                <code class="secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
              </p>
              <p class="row">
                <button type="button" class="quiet" data-copy={secret} hidden>
                  Copy
                </button>
                <span class="soft">By time, six digits, every 30 seconds.</span>
              </p>
            </details>
          </li>
          <li>
            <Form page={page} faults={faults}>
              <input type="hidden" name="offered" value={uri} />
              <Field
                name="code"
                label="The code that it shows now"
                required
                inputmode="numeric"
                autocomplete="one-time-code"
                maxlength={20}
                faults={faults}
                autofocus
              />
              <p class="soft">Your other sessions end with it.</p>
              <Submit name="act" value="confirm">
                Switch it on
              </Submit>
            </Form>
          </li>
        </ol>
      </>
    ),
  };
}

function codesPage(page: Page, codes: readonly string[], title: string): View {
  const text = `${codes.join('\n')}\n`;
  return {
    title,
    body: (
      <>
        <Notice>
          <p>
            <strong>These recovery codes are shown this once.</strong> Each signs you in once when
            your phone is lost. Keep them where the phone is not.
          </p>
        </Notice>
        <ul class="codes">
          {codes.map((code) => (
            <li>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <p class="row">
          <button type="button" class="quiet" data-copy={text} hidden>
            Copy
          </button>
          <button type="button" class="quiet" data-print hidden>
            Print
          </button>
          <a
            class="button quiet"
            download="recovery-codes.txt"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          >
            Download
          </a>
          <a href={page.me.must_set_second_factor ? CONSOLE : page.href(PATH)}>I have kept them</a>
        </p>
      </>
    ),
  };
}
