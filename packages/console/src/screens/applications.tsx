import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Done,
  Facts,
  FaultSummary,
  Field,
  Form,
  Notice,
  Pager,
  Select,
  Submit,
  Time,
  type Tone,
} from '../components';
import type { Page, View } from '../page';
import { isAdministrator, type Screen } from '../screen';
import { words } from '../words';

type Application = WireOf<Operations['listApplications']>[number];

const PATH = '/network/applications';

const TONES: Readonly<Record<string, Tone>> = {
  PENDING: 'warn',
  APPROVED: 'good',
  REJECTED: 'bad',
};

/** Who wants to join, and the decision. */
export const applicationsScreen: Screen = {
  path: PATH,
  place: { section: 'Network', label: 'Applications' },
  isFor: isAdministrator,
  show: (page) => applicationsPage(page),
  submit: async (page) => {
    const { form } = page;
    const params = { application_id: form.text('application_id') };
    const body = { status: form.text('status'), review_note: form.given('review_note') };
    const outcome = await attempt(() => page.call('reviewApplication', { params, body }));
    if ('faults' in outcome) return applicationsPage(page, outcome.faults);
    const { institution, invitation } = outcome.done.value;
    if (institution === null || invitation === null) {
      return { location: page.href(PATH, { done: 'rejected' }) };
    }
    return {
      title: `${institution.name} is a member`,
      status: 200,
      body: (
        <>
          <Notice kind="good">
            <p>
              {invitation.email} is invited as its owner. Where the network sends mail, the link is
              on its way; otherwise send it yourself. It is shown this once and works until{' '}
              <Time at={invitation.expires_at} />.
            </p>
          </Notice>
          <p>
            <code class="secret">{invitation.link ?? invitation.token}</code>
          </p>
          <p>
            <a href={page.href(PATH)}>Back to the applications</a>
          </p>
        </>
      ),
    };
  },
};

async function applicationsPage(page: Page, faults?: Faults): Promise<View> {
  const status = page.query('status') ?? 'PENDING';
  const q = page.query('q');
  const cursor = page.query('cursor');
  const { value, next_cursor, total_count } = await page.call('listApplications', {
    query: {
      limit: '25',
      ...(status !== 'ALL' && { status }),
      q,
      cursor,
    },
  });
  return {
    title: 'Applications',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={{ rejected: 'The application is rejected.' }} />
        {faults && <FaultSummary faults={faults} page={page} />}
        <form method="get" class="row">
          <Field name="q" label="Name or address" type="search" value={q} />
          <Select
            name="status"
            label="State"
            value={status}
            choices={['PENDING', 'APPROVED', 'REJECTED', 'ALL'].map((name) => ({
              value: name,
              label: words(name),
            }))}
          />
          <Submit quiet>Show</Submit>
        </form>
        <p class="soft">{total_count === 1 ? 'One application' : `${total_count} applications`}</p>
        {value.length === 0 && <div class="empty">Nobody waits.</div>}
        {value.map((application) => (
          <Card page={page} of={application} />
        ))}
        <Pager page={page} path={PATH} next={next_cursor} query={{ status, q }} />
      </>
    ),
  };
}

const Card = ({ page, of }: { page: Page; of: Application }) => (
  <article class="card">
    <h2>
      {of.institution_name} <Badge tone={TONES[of.status] ?? 'plain'}>{words(of.status)}</Badge>
    </h2>
    <Facts
      of={[
        ['Contact', `${of.contact_name}, ${of.contact_email}`],
        ['Website', of.website ?? '–'],
        ['Applied', <Time at={of.created_at} />],
        ...(of.reviewed_at === null ? [] : [['Decided', <Time at={of.reviewed_at} />] as const]),
      ]}
    />
    {of.description && <p>{of.description}</p>}
    {of.review_note && <p class="soft">Note: {of.review_note}</p>}
    {of.status === 'PENDING' && (
      <details>
        <summary>Decide</summary>
        <Form page={page}>
          <input type="hidden" name="application_id" value={of.id} />
          <div class="field">
            <label for={`note-${of.id}`}>
              Note <span class="soft">(optional; administrators see it)</span>
            </label>
            <textarea id={`note-${of.id}`} name="review_note" rows={2}></textarea>
          </div>
          <p>Approving makes the institution active and invites its contact as owner.</p>
          <div class="row">
            <Submit name="status" value="APPROVED">
              Approve {of.institution_name}
            </Submit>
            <Submit danger name="status" value="REJECTED">
              Reject
            </Submit>
          </div>
        </Form>
      </details>
    )}
  </article>
);
