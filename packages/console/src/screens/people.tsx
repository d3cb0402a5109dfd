import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Pager, Select, Submit, Table, Time } from '../components';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

const ROLES = [
  { value: 'VIEWER', label: 'Viewer: sees the institution’s own page' },
  { value: 'DEVELOPER', label: 'Developer: sees keys, works with test data' },
  { value: 'ADMIN', label: 'Admin: everything but making owners' },
  { value: 'OWNER', label: 'Owner: everything' },
];

/** Who works here: whom one has invited, and inviting. */
export const peopleScreen: Screen = {
  path: '/people',
  place: { section: 'Institution', label: 'People' },
  isFor: withPermission('institution.users.manage'),
  show: (page) => peoplePage(page),
  submit: async (page) => {
    const { form } = page;
    if (form.text('act') === 'withdraw') {
      const params = { invitation_id: form.text('invitation_id') };
      const outcome = await attempt(() => page.call('withdrawInvitation', { params }));
      if ('faults' in outcome) return peoplePage(page, outcome.faults);
      return { location: page.href('/people', { done: 'withdrawn' }) };
    }
    const body = { email: form.text('email').trim(), role: form.text('role') };
    const outcome = await attempt(() => page.call('createInvitation', { body }));
    if ('faults' in outcome) return peoplePage(page, outcome.faults);
    const { email, link, token, expires_at } = outcome.done.value;
    return {
      title: `${email} is invited`,
      status: 201,
      body: (
        <>
          <Notice kind="good">
            <p>
              Where the network sends mail, the link is on its way. Otherwise send it yourself:
              whoever has it joins as {words(form.text('role'))}, until <Time at={expires_at} />.
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
  },
};

const DONE: Readonly<Record<string, string>> = {
  withdrawn: 'The invitation is withdrawn: its link opens nothing any more.',
};

async function peoplePage(page: Page, faults?: Faults): Promise<View> {
  const cursor = page.query('cursor');
  const { value, next_cursor } = await page.call('listInvitations', {
    query: { limit: '50', ...(cursor && { cursor }) },
  });
  const done = DONE[page.query('done') ?? ''];
  return {
    title: 'People',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        {done && (
          <Notice kind="good" live>
            <p>{done}</p>
          </Notice>
        )}
        <h2>Open invitations</h2>
        <Table
          caption="Open invitations"
          rows={value}
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
        <Pager page={page} path="/people" next={next_cursor} />
        <h2>Invite</h2>
        <Form page={page} faults={faults}>
          <Field
            name="email"
            label="E-mail address"
            type="email"
            required
            value={page.form.text('email')}
            faults={faults}
          />
          <Select
            name="role"
            label="Role"
            value={page.form.text('role') || 'VIEWER'}
            choices={ROLES.filter(
              ({ value: role }) => role !== 'OWNER' || page.me.role === 'OWNER',
            )}
            faults={faults}
          />
          <Submit>Invite</Submit>
        </Form>
      </>
    ),
  };
}
