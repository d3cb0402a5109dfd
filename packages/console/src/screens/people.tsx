import { meaningsOf, type Operations, type WireOf } from '@credit/contract';
import { Role } from '@credit/proto/identity/v1/identity';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  Done,
  FaultSummary,
  Field,
  Form,
  Notice,
  Pager,
  Submit,
  Table,
  Time,
} from '../components';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';
import { FactorMark, FactorReset } from './factor-reset';

type Member = WireOf<Operations['listMembers']>[number];

/** Who works here: members, whom one has invited, and inviting. */
export const peopleScreen: Screen = {
  path: '/people',
  place: { section: 'Institution', label: 'People' },
  isFor: withPermission('institution.users.manage'),
  show: (page) => peoplePage(page),
  submit: async (page) => {
    const { form } = page;
    switch (form.text('act')) {
      case 'withdraw': {
        const params = { invitation_id: form.text('invitation_id') };
        const outcome = await attempt(() => page.call('withdrawInvitation', { params }));
        if ('faults' in outcome) return peoplePage(page, outcome.faults);
        return { location: page.href('/people', { done: 'withdrawn' }) };
      }
      case 'change': {
        const params = { user_id: form.text('user_id') };
        const body = { role: form.given('role'), status: form.given('status') };
        const outcome = await attempt(() => page.call('updateMember', { params, body }));
        if ('faults' in outcome) return peoplePage(page, outcome.faults);
        return { location: page.href('/people', { done: 'changed' }) };
      }
      case 'factor': {
        const params = { user_id: form.text('user_id') };
        const outcome = await attempt(() => page.call('resetMemberSecondFactor', { params }));
        if ('faults' in outcome) return peoplePage(page, outcome.faults);
        return { location: page.href('/people', { done: 'factor' }) };
      }
      default:
        return invite(page);
    }
  },
};

async function invite(page: Page): Promise<View> {
  const { form } = page;
  const body = { email: form.text('email').trim(), role: form.text('role') };
  const outcome = await attempt(() => page.call('createInvitation', { body }));
  if ('faults' in outcome) return peoplePage(page, outcome.faults, 'invite');
  const { email, link, token, expires_at } = outcome.done.value;
  return {
    title: `${email} is invited`,
    status: 201,
    body: (
      <>
        <Notice kind="good">
          <p>
            Where the network sends mail, the link is on its way. Otherwise send it yourself:
            whoever has it joins as {words(body.role)}, until <Time at={expires_at} />.
          </p>
        </Notice>
        <p>
          <code class="secret">{link ?? token}</code>
        </p>
        <p>
          <a href={page.href('/people')}>Back to the people</a>
        </p>
      </>
    ),
  };
}

const DONE: Readonly<Record<string, string>> = {
  withdrawn: 'The invitation is withdrawn: its link opens nothing any more.',
  factor: 'The second factor is off: the password alone signs in, until another is set up.',
  changed: 'The change is made. What it takes away ended at once.',
};

/** The roles that the reader may give, with what each may. */
function rolesFor(page: Page) {
  return Object.entries(meaningsOf(Role)?.values ?? {})
    .filter(([role]) => role !== 'OWNER' || page.me.role === 'OWNER')
    .map(([value, hint]) => ({ value, label: words(value), hint }));
}

async function peoplePage(page: Page, faults?: Faults, of?: 'invite'): Promise<View> {
  const [cursor, invitations_cursor] = [page.query('cursor'), page.query('invitations')];
  const [members, invitations] = await Promise.all([
    page.call('listMembers', { query: { limit: '50', cursor } }),
    page.call('listInvitations', {
      query: { limit: '50', cursor: invitations_cursor },
    }),
  ]);
  return {
    title: 'People',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={DONE} />
        {faults && of !== 'invite' && <FaultSummary faults={faults} page={page} />}
        <Table
          caption="People"
          rows={members.value}
          empty="Nobody has joined yet."
          columns={[
            {
              name: 'Name',
              cell: (member) => (
                <>
                  {member.display_name}
                  {member.id === page.me.id && <span class="soft"> (you)</span>}
                  <br />
                  <span class="soft">{member.email}</span>
                </>
              ),
            },
            { name: 'Role', cell: ({ role }) => words(role) },
            {
              name: 'State',
              cell: ({ status, second_factor }) => (
                <>
                  <Badge tone={status === 'ACTIVE' ? 'good' : 'bad'}>{words(status)}</Badge>
                  {second_factor && <FactorMark />}
                </>
              ),
            },
            { name: 'Last sign-in', cell: (member) => <Time at={member.last_login_at} /> },
            {
              name: '',
              cell: (member) => member.id !== page.me.id && <Change page={page} of={member} />,
            },
          ]}
        />
        <Pager page={page} path="/people" next={members.next_cursor} />
        <h2>Open invitations</h2>
        <Table
          caption="Open invitations"
          rows={invitations.value}
          empty="Nobody is invited at the moment."
          columns={[
            { name: 'Address', cell: ({ email }) => email },
            { name: 'Role', cell: ({ role }) => words(role) },
            { name: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
            { name: 'Open until', cell: ({ expires_at }) => <Time at={expires_at} /> },
            {
              name: '',
              cell: ({ id, email }) => (
                <Form page={page} class="inline">
                  <input type="hidden" name="invitation_id" value={id} />
                  <Submit quiet name="act" value="withdraw">
                    Withdraw<span class="visually-hidden"> the invitation of {email}</span>
                  </Submit>
                </Form>
              ),
            },
          ]}
        />
        {invitations.next_cursor && (
          <p>
            <a href={page.href('/people', { invitations: invitations.next_cursor })}>
              More invitations
            </a>
          </p>
        )}
        <h2>Invite</h2>
        <Form page={page} faults={of === 'invite' ? faults : undefined}>
          <Field
            name="email"
            label="E-mail address"
            type="email"
            required
            value={page.form.text('email')}
            faults={of === 'invite' ? faults : undefined}
          />
          <Choices
            type="radio"
            name="role"
            legend="Role"
            choices={rolesFor(page)}
            chosen={[page.form.text('role') || 'VIEWER']}
          />
          <Submit>Invite</Submit>
        </Form>
      </>
    ),
  };
}

const Change = ({ page, of }: { page: Page; of: Member }) => (
  <details>
    <summary>
      Change<span class="visually-hidden"> {of.display_name}</span>
    </summary>
    <Form page={page} class="form">
      <input type="hidden" name="user_id" value={of.id} />
      <div class="field">
        <label for={`role-${of.id}`}>Role</label>
        <select id={`role-${of.id}`} name="role">
          {rolesFor(page).map(({ value, label }) => (
            <option value={value} selected={value === of.role}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Submit quiet name="act" value="change">
        Give the role
      </Submit>
    </Form>
    {of.second_factor && <FactorReset page={page} of={of} />}
    <Form page={page} class="form">
      <input type="hidden" name="user_id" value={of.id} />
      <input type="hidden" name="status" value={of.status === 'ACTIVE' ? 'DISABLED' : 'ACTIVE'} />
      {of.status === 'ACTIVE' && (
        <p>Disabled, {of.display_name} is signed out everywhere and cannot sign in.</p>
      )}
      <Submit danger={of.status === 'ACTIVE'} name="act" value="change">
        {of.status === 'ACTIVE' ? 'Disable' : 'Let in again'}
      </Submit>
    </Form>
  </details>
);
