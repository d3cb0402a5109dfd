import { attempt, type Faults } from '../attempt';
import { Badge, Done, FaultSummary, Form, Pager, Submit, Table, Time } from '../components';
import type { Page, View } from '../page';
import { everybody, type Screen } from '../screen';

/** Where one is signed in, and ending it. */
export const sessionsScreen: Screen = {
  path: '/sessions',
  place: { section: 'You', label: 'Sessions' },
  isFor: everybody,
  show: (page) => sessionsPage(page),
  submit: async (page) => {
    const params = { session_id: page.form.text('session_id') };
    const outcome = await attempt(() => page.call('endSession', { params }));
    if ('faults' in outcome) return sessionsPage(page, outcome.faults);
    return { location: page.href('/sessions', { done: 'ended' }) };
  },
};

async function sessionsPage(page: Page, faults?: Faults): Promise<View> {
  const cursor = page.query('cursor');
  const { value, next_cursor } = await page.call('listSessions', {
    query: { limit: '25', cursor },
  });
  return {
    title: 'Where you are signed in',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={{ ended: 'The session is ended.' }} />
        {faults && <FaultSummary faults={faults} page={page} />}
        <Table
          caption="Sessions"
          rows={value}
          empty="There is none."
          columns={[
            { name: 'Began', cell: ({ created_at }) => <Time at={created_at} /> },
            { name: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            { name: 'From', cell: ({ client_address }) => client_address ?? '–' },
            {
              name: '',
              cell: ({ id, current, created_at }) =>
                current ? (
                  <Badge tone="accent">This one</Badge>
                ) : (
                  <Form page={page} class="inline">
                    <input type="hidden" name="session_id" value={id} />
                    <Submit quiet>
                      End<span class="visually-hidden"> the session of {created_at}</span>
                    </Submit>
                  </Form>
                ),
            },
          ]}
        />
        <Pager page={page} path="/sessions" next={next_cursor} />
        <p class="soft">
          One that you do not know? End it, then{' '}
          <a href={page.href('/password')}>change your password</a>.
        </p>
      </>
    ),
  };
}
