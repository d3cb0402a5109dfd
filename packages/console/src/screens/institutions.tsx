import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
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
  type Tone,
} from '../components';
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
  submit: async (page) => {
    const { form } = page;
    const status = form.text('status');
    // Typed by hand, so that nobody stops the wrong one with a click.
    if (status !== 'ACTIVE' && form.text('typed').trim() !== form.text('name')) {
      return institutionsPage(page, undefined, form.text('name'));
    }
    const params = { institution_id: form.text('institution_id') };
    const body = { status, reason: form.given('reason') };
    const outcome = await attempt(() => page.call('updateInstitution', { params, body }));
    if ('faults' in outcome) return institutionsPage(page, outcome.faults);
    return { location: page.href(PATH, { done: status }) };
  },
};

async function institutionsPage(page: Page, faults?: Faults, mistyped?: string): Promise<View> {
  const [status, q, cursor] = [page.query('status'), page.query('q'), page.query('cursor')];
  const { value, next_cursor, total_count } = await page.call('listInstitutions', {
    query: { limit: '25', status, q, cursor },
  });
  const done = page.query('done');
  return {
    title: 'Institutions',
    status: faults !== undefined || mistyped !== undefined ? 422 : 200,
    body: (
      <>
        {done && (
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
                  {name}
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
            { name: '', cell: (one) => <Change page={page} of={one} /> },
          ]}
        />
        <Pager page={page} path={PATH} next={next_cursor} query={{ status, q }} />
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
    <details>
      <summary>
        Change<span class="visually-hidden"> {of.name}</span>
      </summary>
      {next.map((status) => (
        <Form page={page} class="form card">
          <input type="hidden" name="institution_id" value={of.id} />
          <input type="hidden" name="name" value={of.name} />
          <p>
            <strong>{words(status)}.</strong> {MEANING[status]}
          </p>
          <div class="field">
            <label for={`reason-${status}-${of.id}`}>Reason</label>
            <input id={`reason-${status}-${of.id}`} name="reason" required />
          </div>
          {status !== 'ACTIVE' && (
            <div class="field">
              <label for={`typed-${status}-${of.id}`}>Type “{of.name}”</label>
              <input id={`typed-${status}-${of.id}`} name="typed" required autocomplete="off" />
            </div>
          )}
          <Submit danger={status !== 'ACTIVE'} name="status" value={status}>
            {status === 'ACTIVE' ? 'Make active' : status === 'CLOSED' ? 'Close' : 'Suspend'}
          </Submit>
        </Form>
      ))}
    </details>
  );
};
