import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults, ifAnswered } from '../attempt';
import {
  Badge,
  count,
  Facts,
  FaultSummary,
  Field,
  Form,
  Id,
  Notice,
  Pager,
  Select,
  Stat,
  Submit,
  Table,
  Time,
  type Tone,
} from '../components';
import { HealthStat } from '../health-stat';
import type { Page, View } from '../page';
import { isAdministrator, type Screen } from '../screen';
import { words } from '../words';

type Institution = WireOf<Operations['listInstitutions']>[number];

const PATH = '/network/institutions';

const TONES: Readonly<Record<string, Tone>> = {
  ACTIVE: 'good',
  PENDING: 'warn',
  SUSPENDED: 'bad',
  CLOSED: 'plain',
};

/** What each next state does, before it is done. */
const MEANING: Readonly<Record<string, string>> = {
  ACTIVE: 'Its keys and people can work.',
  SUSPENDED: 'Its keys and sessions are refused at once. What it reported stays.',
  CLOSED: 'As suspended, and for good: nothing opens it again.',
};

/** Members, and what state they are in. */
export const institutionsScreen: Screen = {
  path: PATH,
  place: { section: 'Network', label: 'Institutions' },
  isFor: isAdministrator,
  show: (page) => institutionsPage(page),
};

/** One member: how it stands and why, how it reports, who works there; and its state, to change. */
export const memberScreen: Screen = {
  path: `${PATH}/:institution_id`,
  isFor: isAdministrator,
  show: (page) => institutionPage(page),
  submit: async (page) => {
    const { form } = page;
    const status = form.text('status');
    // Typed by hand, so that nobody stops the wrong one with a click.
    if (status !== 'ACTIVE' && form.text('typed').trim() !== form.text('name')) {
      return institutionPage(page, undefined, form.text('name'));
    }
    const params = { institution_id: page.param('institution_id') };
    const body = { status, reason: form.given('reason') };
    const outcome = await attempt(() => page.call('updateInstitution', { params, body }));
    if ('faults' in outcome) return institutionPage(page, outcome.faults);
    return { location: page.href(`${PATH}/${params.institution_id}`, { done: status }) };
  },
};

async function institutionsPage(page: Page): Promise<View> {
  const [status, q, cursor] = [page.query('status'), page.query('q'), page.query('cursor')];
  const { value, next_cursor, total_count } = await page.call('listInstitutions', {
    query: { limit: '25', status, q, cursor },
  });
  return {
    title: 'Institutions',
    body: (
      <>
        <form method="get" class="row">
          <Field name="q" label="Name" type="search" value={q} />
          <Select
            name="status"
            label="State"
            value={status}
            choices={[
              { value: '', label: 'All' },
              ...['ACTIVE', 'PENDING', 'SUSPENDED', 'CLOSED'].map((name) => ({
                value: name,
                label: words(name),
              })),
            ]}
          />
          <Submit quiet>Show</Submit>
        </form>
        <p class="soft">{total_count === 1 ? 'One institution' : `${total_count} institutions`}</p>
        <Table
          caption="Institutions"
          rows={value}
          empty="There is none of that kind."
          columns={[
            {
              name: 'Name',
              cell: ({ name, id, website }) => (
                <>
                  <a href={page.href(`${PATH}/${id}`)}>{name}</a>
                  <br />
                  <span class="soft">{website ?? ''}</span> <Id of={id} />
                </>
              ),
            },
            {
              name: 'State',
              cell: (one) => <Badge tone={TONES[one.status] ?? 'plain'}>{words(one.status)}</Badge>,
            },
            { name: 'Since', cell: ({ created_at }) => <Time at={created_at} day /> },
          ]}
        />
        <Pager page={page} path={PATH} next={next_cursor} query={{ status, q }} />
      </>
    ),
  };
}

async function institutionPage(page: Page, faults?: Faults, mistyped?: string): Promise<View> {
  const params = { institution_id: page.param('institution_id') };
  const of_it = { institution_id: params.institution_id, limit: '10' };
  const [{ value: detail }, health, purposes, users, disputes] = await Promise.all([
    page.call('getInstitution', { params }),
    ifAnswered(page.call('getInstitutionHealth', { params })),
    ifAnswered(page.call('getInquiryPurposes', { params })),
    page.call('listUsers', { query: of_it }),
    ifAnswered(
      page.call('listDisputes', {
        query: { reported_institution_id: params.institution_id, limit: '10' },
      }),
    ),
  ]);
  const { institution } = detail;
  const done = page.query('done');
  return {
    title: institution.name,
    status: faults !== undefined || mistyped !== undefined ? 422 : 200,
    body: (
      <>
        {done && TONES[done] && (
          <Notice kind="good" live>
            <p>The institution is {words(done).toLowerCase()} now. It is in the audit log.</p>
          </Notice>
        )}
        {mistyped !== undefined && (
          <Notice kind="bad" live>
            <p>
              <strong>Nothing was changed: type the name “{mistyped}” as it stands.</strong>
            </p>
          </Notice>
        )}
        {faults && <FaultSummary faults={faults} page={page} />}
        <Facts
          of={[
            [
              'State',
              <Badge tone={TONES[institution.status] ?? 'plain'}>
                {words(institution.status)}
              </Badge>,
            ],
            ['Why', detail.status_reason ?? '–'],
            ['Member since', <Time at={institution.created_at} day />],
            ['Website', institution.website ?? '–'],
            ['Listed', institution.publicly_listed ? 'Yes' : 'No'],
            ['Number', <Id of={institution.id} />],
          ]}
        />
        <div class="stats">
          <HealthStat days={health?.value ?? []} />
          <Stat name="People" value={count(detail.user_count)} />
          <Stat name="Open invitations" value={count(detail.invitation_count)} />
          <Stat name="API keys in use" value={count(detail.api_key_count)} />
          {disputes && <Stat name="Disputes about it" value={count(disputes.total_count ?? 0)} />}
        </div>
        <section>
          <h2>People</h2>
          <Table
            caption="People"
            rows={users.value}
            empty="Nobody has joined yet."
            columns={[
              { name: 'Name', cell: ({ display_name }) => display_name },
              { name: 'Address', cell: ({ email }) => email },
              { name: 'Role', cell: ({ role }) => words(role ?? 'none') },
              { name: 'State', cell: (user) => words(user.status) },
              { name: 'Last sign-in', cell: ({ last_login_at }) => <Time at={last_login_at} /> },
            ]}
          />
          {users.next_cursor !== undefined && (
            <p>
              <a href={page.href('/network/users', { institution_id: institution.id })}>
                All {count(users.total_count ?? 0)}
              </a>
            </p>
          )}
        </section>
        {purposes && (
          <section>
            <h2>What it looks at files for</h2>
            <Table
              caption="Looks by purpose"
              rows={purposes.value}
              empty="It has looked at nobody in 12 months."
              columns={[
                { name: 'Purpose', cell: ({ purpose }) => words(purpose) },
                { name: 'Kind', cell: ({ inquiry_type }) => words(inquiry_type) },
                { name: '30 days', number: true, cell: ({ shown_30d }) => count(shown_30d) },
                { name: '12 months', number: true, cell: ({ shown_12m }) => count(shown_12m) },
                {
                  name: 'Naming a consent',
                  number: true,
                  cell: ({ with_consent_12m }) => count(with_consent_12m),
                },
                {
                  name: 'Refused, 30 days',
                  number: true,
                  cell: ({ refused_30d }) => count(refused_30d),
                },
                {
                  name: 'Refused, 12 months',
                  number: true,
                  cell: ({ refused_12m }) => count(refused_12m),
                },
              ]}
            />
          </section>
        )}
        {disputes && (
          <section>
            <h2>Disputes about it</h2>
            <Table
              caption="Disputes"
              rows={disputes.value}
              empty="Nobody has contested anything it reported."
              columns={[
                { name: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} day /> },
                { name: 'Why', cell: ({ reason }) => words(reason) },
                { name: 'State', cell: (dispute) => words(dispute.status) },
                { name: 'Due', cell: ({ due_at }) => <Time at={due_at} day /> },
              ]}
            />
          </section>
        )}
        <Change page={page} of={institution} />
      </>
    ),
  };
}

const NEXT: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['ACTIVE', 'CLOSED'],
  ACTIVE: ['SUSPENDED', 'CLOSED'],
  SUSPENDED: ['ACTIVE', 'CLOSED'],
};

const Change = ({ page, of }: { page: Page; of: Institution }) => {
  const next = NEXT[of.status] ?? [];
  if (next.length === 0) return null;
  return (
    <section>
      <h2>Change its state</h2>
      <div class="columns">
        {next.map((status) => (
          <Form page={page} class="form card">
            <input type="hidden" name="name" value={of.name} />
            <p>
              <strong>{words(status)}.</strong> {MEANING[status]}
            </p>
            <div class="field">
              <label for={`reason-${status}`}>Reason</label>
              <input id={`reason-${status}`} name="reason" required />
            </div>
            {status !== 'ACTIVE' && (
              <div class="field">
                <label for={`typed-${status}`}>Type “{of.name}”</label>
                <input id={`typed-${status}`} name="typed" required autocomplete="off" />
              </div>
            )}
            <Submit danger={status !== 'ACTIVE'} name="status" value={status}>
              {status === 'ACTIVE' ? 'Make active' : status === 'CLOSED' ? 'Close' : 'Suspend'}
            </Submit>
          </Form>
        ))}
      </div>
    </section>
  );
};
