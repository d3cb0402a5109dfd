import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import { Badge, FaultSummary, Form, Notice, Pager, Select, Submit, Time } from '../components';
import type { Page, View } from '../page';
import { isAdministrator, type Screen } from '../screen';
import { words } from '../words';

type ContactRequest = WireOf<Operations['listContactRequests']>[number];

const PATH = '/network/contact-requests';

/** What people wrote from the public pages, and the answers. */
export const contactRequestsScreen: Screen = {
  path: PATH,
  place: { section: 'Network', label: 'Contact requests' },
  isFor: isAdministrator,
  show: (page) => inbox(page),
  submit: async (page) => {
    const { form } = page;
    const params = { contact_request_id: form.text('contact_request_id') };
    const body = { status: form.text('status'), answer: form.given('answer') };
    const outcome = await attempt(() => page.call('answerContactRequest', { params, body }));
    if ('faults' in outcome) return inbox(page, outcome.faults);
    return { location: page.href(PATH, { done: 'answered' }) };
  },
};

async function inbox(page: Page, faults?: Faults): Promise<View> {
  const [status, cursor] = [page.query('status') ?? 'OPEN', page.query('cursor')];
  const { value, next_cursor, total_count } = await page.call('listContactRequests', {
    query: { limit: '25', ...(status !== 'ALL' && { status }), cursor },
  });
  return {
    title: 'Contact requests',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        {page.query('done') && (
          <Notice kind="good" live>
            <p>Done.</p>
          </Notice>
        )}
        {faults && <FaultSummary faults={faults} page={page} />}
        <form method="get" class="row">
          <Select
            name="status"
            label="State"
            value={status}
            choices={['OPEN', 'ANSWERED', 'CLOSED', 'ALL'].map((name) => ({
              value: name,
              label: words(name),
            }))}
          />
          <Submit quiet>Show</Submit>
        </form>
        <p class="soft">{total_count === 1 ? 'One request' : `${total_count} requests`}</p>
        {value.length === 0 && <div class="empty">Nothing waits for an answer.</div>}
        {value.map((request) => (
          <Message page={page} of={request} />
        ))}
        <Pager page={page} path={PATH} next={next_cursor} query={{ status }} />
      </>
    ),
  };
}

const Message = ({ page, of }: { page: Page; of: ContactRequest }) => (
  <article class="card">
    <h2>
      {of.subject ?? 'Without a subject'}{' '}
      <Badge tone={of.status === 'OPEN' ? 'warn' : 'plain'}>{words(of.status)}</Badge>
    </h2>
    <p class="soft">
      {of.name}, {of.email}, <Time at={of.created_at} />
    </p>
    <p class="text">{of.message}</p>
    {of.answer && (
      <p class="text">
        <strong>
          Answer, <Time at={of.answered_at} />:
        </strong>{' '}
        {of.answer}
      </p>
    )}
    {of.status === 'OPEN' && (
      <details>
        <summary>Answer</summary>
        <Form page={page}>
          <input type="hidden" name="contact_request_id" value={of.id} />
          <div class="field">
            <label for={`answer-${of.id}`}>Answer</label>
            <p class="hint">It is mailed where the network sends mail.</p>
            <textarea id={`answer-${of.id}`} name="answer" rows={4}></textarea>
          </div>
          <div class="row">
            <Submit name="status" value="ANSWERED">
              Answer {of.name}
            </Submit>
            <Submit quiet name="status" value="CLOSED">
              Close without an answer
            </Submit>
          </div>
        </Form>
      </details>
    )}
  </article>
);
