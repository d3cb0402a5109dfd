import { attempt, type Faults } from '../attempt';
import { Form, Notice, Submit, TokenField } from '../components';
import type { View, Visit } from '../page';
import { MY } from './visit';

/** The ways in, for whoever is not in yet. */
export function doorPage(visit: Visit, notice?: string, faults?: Faults): View {
  return {
    title: 'Your file',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        {notice !== undefined && (
          <Notice kind="bad" alert>
            <p>{notice}</p>
          </Notice>
        )}
        <p class="lead">
          See what lenders report about you and who has looked, contest what is wrong, and guard
          your file. It is free, and it tells no lender that you were here.
        </p>
        <div class="paths">
          <section class="card">
            <h2>Sign in</h2>
            <p>With the account by which the network knows you. Your password stays there.</p>
            <Form page={visit} action={`${MY}/sign-in`} class="row">
              <Submit>Sign in</Submit>
            </Form>
          </section>
          <section class="card">
            <h2>You have a link</h2>
            <p>A lender who reports on you can give you one. It is good once, within seven days.</p>
            <p class="row">
              <a class="button" href={`${MY}/open`}>
                Use a link
              </a>
            </p>
          </section>
        </div>
        <p>
          Neither? You can still <a href="/dispute">dispute an entry</a>, or{' '}
          <a href="/contact">ask the network</a>.
        </p>
      </>
    ),
  };
}

/**
 * Takes a link's token: it stands in the fragment, which no server sees; a script puts it into the
 * form, and without scripts the person does.
 */
export function openPage(visit: Visit, faults?: Faults): View {
  return {
    title: 'Open your file',
    status: faults === undefined ? 200 : 422,
    body: (
      <Form page={visit} action={`${MY}/open`} faults={faults} labels={{ token: 'Token' }}>
        <TokenField
          page={visit}
          label="Token"
          hint="The end of the link that you were given, from svc_al_ on. The link opens your file once."
          faults={faults}
        />
        <Submit>Open it</Submit>
      </Form>
    ),
  };
}

/** Opens a link that was given. */
export function openLink(visit: Visit) {
  const body = { token: visit.form.text('token').trim() };
  return attempt(() => visit.call('openMySession', { body }));
}
