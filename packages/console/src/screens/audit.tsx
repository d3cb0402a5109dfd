import type { Operations, WireOf } from '@credit/contract';
import { count, Field, Id, Pager, Submit, Table, Time } from '../components';
import type { Page, View } from '../page';
import { isAdministrator, type Screen, withPermission } from '../screen';
import { words } from '../words';

type AuditEvent = WireOf<Operations['listAuditEvents']>[number];
type Listing = 'listAuditEvents' | 'listNetworkAuditEvents';

/** What was changed at the institution. */
export const auditScreen: Screen = {
  path: '/audit',
  place: { section: 'Institution', label: 'Audit' },
  isFor: withPermission('audit.read'),
  show: (page) => auditPage(page, '/audit', 'listAuditEvents', 'Audit'),
};

/** What administrators did, and what belongs to no institution. */
export const networkAuditScreen: Screen = {
  path: '/network/audit',
  place: { section: 'Network', label: 'Audit' },
  isFor: isAdministrator,
  show: (page) =>
    auditPage(page, '/network/audit', 'listNetworkAuditEvents', 'Audit of the network'),
};

async function auditPage(page: Page, path: string, listing: Listing, title: string): Promise<View> {
  const asked = {
    action: page.query('action'),
    actor_id: page.query('actor_id'),
    target_id: page.query('target_id'),
    cursor: page.query('cursor'),
  };
  const { value, next_cursor } = await page.call(listing, {
    query: { limit: '50', ...asked },
  });
  const { cursor: _, ...filters } = asked;
  return {
    title,
    body: (
      <>
        <form method="get" class="row no-print">
          <Field
            name="action"
            label="What was done"
            type="search"
            value={asked.action}
            placeholder="api_key.created"
          />
          <Field name="actor_id" label="Who (id)" type="search" value={asked.actor_id} />
          <Field name="target_id" label="To what (id)" type="search" value={asked.target_id} />
          <Submit quiet>Show</Submit>
        </form>
        <Table
          caption={title}
          rows={value}
          empty="Nothing of that kind has happened."
          columns={[
            { name: 'When', cell: (event) => <Time at={event.at} /> },
            { name: 'What', cell: (event) => sentence(event) },
            {
              name: 'Who',
              cell: ({ actor }) => (
                <>
                  {actor.name ?? words(actor.type)} {actor.id !== '' && <Id of={actor.id} />}
                </>
              ),
            },
            { name: 'From', cell: (event) => event.ip ?? '–' },
            { name: 'Changes', cell: (event) => <Changes of={event} /> },
          ]}
        />
        <Pager page={page} path={path} next={next_cursor} query={filters} />
      </>
    ),
  };
}

/** `api_key.created` and its target as people read it. */
function sentence({ action, target, environment }: AuditEvent) {
  return (
    <>
      {words(action.replace('.', ' '))}
      {environment === 'test' && <span class="soft"> (test)</span>}
      <br />
      <span class="soft">{target.name ?? words(target.type)}</span> <Id of={target.id} />
    </>
  );
}

/** A batch's changes can be as long as the batch: a page shows the beginning. */
const MOST_CHANGES = 12;
const LONGEST_VALUE = 200;

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

const Changes = ({ of }: { of: AuditEvent }) => {
  const changes = Object.entries(of.changes);
  if (changes.length === 0) return <span class="soft">–</span>;
  return (
    <details>
      <summary>{changes.length === 1 ? changes[0]?.[0] : `${changes.length} fields`}</summary>
      <dl class="facts">
        {changes.slice(0, MOST_CHANGES).map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{shortened(value)}</dd>
          </div>
        ))}
      </dl>
      {changes.length > MOST_CHANGES && (
        <p class="soft">And {count(changes.length - MOST_CHANGES)} more, which the API has.</p>
      )}
      <p class="soft">
        Request <code>{of.request_id}</code>
      </p>
    </details>
  );
};
