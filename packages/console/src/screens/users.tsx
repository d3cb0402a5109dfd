import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Done,
  FaultSummary,
  Field,
  Form,
  Id,
  Notice,
  Pager,
  Select,
  Submit,
  Table,
  Time,
} from '../components';
import type { Page, View } from '../page';
import { isAdministrator, type Screen } from '../screen';
import { words } from '../words';
import { FactorMark, FactorReset } from './factor-reset';

type User = WireOf<Operations['listUsers']>[number];

const PATH = '/network/users';

/** All users of the network; a superadmin changes them. */
export const usersScreen: Screen = {
  path: PATH,
  place: { section: 'Network', label: 'Users' },
  isFor: isAdministrator,
  show: (page) => usersPage(page),
  submit: async (page) => {
    const { form } = page;
    const params = { user_id: form.text('user_id') };
    switch (form.text('act')) {
      case 'reset': {
        const outcome = await attempt(() => page.call('resetPassword', { params }));
        if ('faults' in outcome) return usersPage(page, outcome.faults);
        const { temporary_password, expires_at } = outcome.done.value;
        return {
          title: 'A temporary password',
          body: (
            <>
              <Notice>
                <p>
                  <strong>Shown this once.</strong> It opens nothing but the choice of a password,
                  until <Time at={expires_at} />.
                </p>
              </Notice>
              <p>
                <code class="secret">{temporary_password}</code>
              </p>
              <p>
                <a href={page.href(PATH)}>Back to the users</a>
              </p>
            </>
          ),
        };
      }
      case 'sessions': {
        const outcome = await attempt(() => page.call('revokeSessions', { params }));
        if ('faults' in outcome) return usersPage(page, outcome.faults);
        return { location: page.href(PATH, { done: 'sessions' }) };
      }
      case 'factor': {
        const outcome = await attempt(() => page.call('resetSecondFactor', { params }));
        if ('faults' in outcome) return usersPage(page, outcome.faults);
        return { location: page.href(PATH, { done: 'factor' }) };
      }
      default: {
        const body = { status: form.text('act') };
        const outcome = await attempt(() => page.call('updateUser', { params, body }));
        if ('faults' in outcome) return usersPage(page, outcome.faults);
        return { location: page.href(PATH, { done: form.text('act') }) };
      }
    }
  },
};

const DONE: Readonly<Record<string, string>> = {
  sessions: 'All sessions of the user have ended.',
  factor: 'The second factor is off: the password alone signs in, until another is set up.',
  DISABLED: 'The user is disabled; every session has ended.',
  ACTIVE: 'The user can sign in again.',
};

async function usersPage(page: Page, faults?: Faults): Promise<View> {
  const [status, q, cursor] = [page.query('status'), page.query('q'), page.query('cursor')];
  const institution_id = page.query('institution_id');
  const { value, next_cursor, total_count } = await page.call('listUsers', {
    query: { limit: '25', status, q, institution_id, cursor },
  });
  const may_change = page.me.platform_role === 'SVC_SUPERADMIN';
  return {
    title: 'Users',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={DONE} />
        {faults && <FaultSummary faults={faults} page={page} />}
        <form method="get" class="row">
          <Field name="q" label="Name or address" type="search" value={q} />
          <Select
            name="status"
            label="State"
            value={status}
            choices={[
              { value: '', label: 'All' },
              { value: 'ACTIVE', label: 'Active' },
              { value: 'DISABLED', label: 'Disabled' },
            ]}
          />
          {institution_id && <input type="hidden" name="institution_id" value={institution_id} />}
          <Submit quiet>Show</Submit>
        </form>
        <p class="soft">{total_count === 1 ? 'One user' : `${total_count} users`}</p>
        <Table
          caption="Users"
          rows={value}
          empty="There is none of that kind."
          columns={[
            {
              name: 'Name',
              cell: (user) => (
                <>
                  {user.display_name}
                  <br />
                  <span class="soft">{user.email}</span>
                </>
              ),
            },
            {
              name: 'State',
              cell: (user) => (
                <>
                  <Badge tone={user.status === 'ACTIVE' ? 'good' : 'bad'}>
                    {words(user.status)}
                  </Badge>
                  {user.second_factor && <FactorMark />}
                </>
              ),
            },
            {
              name: 'Role',
              cell: (user) => words(user.platform_role ?? user.role ?? 'none'),
            },
            {
              name: 'Institution',
              cell: ({ institution_id }) =>
                institution_id === null ? '–' : <Id of={institution_id} />,
            },
            { name: 'Last sign-in', cell: (user) => <Time at={user.last_login_at} /> },
            { name: '', cell: (user) => may_change && <Acts page={page} of={user} /> },
          ]}
        />
        <Pager page={page} path={PATH} next={next_cursor} query={{ status, q, institution_id }} />
      </>
    ),
  };
}

const Acts = ({ page, of }: { page: Page; of: User }) => (
  <details>
    <summary>
      Change<span class="visually-hidden"> {of.display_name}</span>
    </summary>
    {of.second_factor && <FactorReset page={page} of={of} />}
    <Form page={page} class="form">
      <input type="hidden" name="user_id" value={of.id} />
      <Submit quiet name="act" value="sessions">
        End all sessions
      </Submit>
      <Submit quiet name="act" value="reset">
        Give a temporary password
      </Submit>
      {of.status === 'ACTIVE' ? (
        <>
          <p>Disabled, {of.display_name} is signed out everywhere and cannot sign in.</p>
          <Submit danger name="act" value="DISABLED">
            Disable
          </Submit>
        </>
      ) : (
        <Submit name="act" value="ACTIVE">
          Let in again
        </Submit>
      )}
    </Form>
  </details>
);
