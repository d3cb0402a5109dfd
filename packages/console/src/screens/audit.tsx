import type { Operations, WireOf } from '@credit/contract';
import {
  CheckpointVerifier,
  isConsistent,
  parseNote,
  readKey,
  type SignedCheckpoint,
} from '@credit/platform/merkle';
import type { FC } from 'hono/jsx';
import { count, Field, Id, Notice, Pager, Submit, Table, Time } from '../components';
import type { Page, View } from '../page';
import { isAdministrator, type Screen, withPermission } from '../screen';
import { words } from '../words';

type AuditEvent = WireOf<Operations['listAuditEvents']>[number];

/** A log of audit events, and what is asked of it. */
interface Log {
  readonly path: string;
  readonly title: string;
  readonly listing: 'listAuditEvents' | 'listNetworkAuditEvents';
  readonly checkpoints: 'listAuditCheckpoints' | 'listNetworkAuditCheckpoints';
  readonly consistency: 'proveAuditConsistency' | 'proveNetworkAuditConsistency';
  readonly file: 'exportAuditEvents' | 'exportNetworkAuditEvents';
}

const OWN: Log = {
  path: '/audit',
  title: 'Audit',
  listing: 'listAuditEvents',
  checkpoints: 'listAuditCheckpoints',
  consistency: 'proveAuditConsistency',
  file: 'exportAuditEvents',
};
const NETWORKS: Log = {
  path: '/network/audit',
  title: 'Audit of the network',
  listing: 'listNetworkAuditEvents',
  checkpoints: 'listNetworkAuditCheckpoints',
  consistency: 'proveNetworkAuditConsistency',
  file: 'exportNetworkAuditEvents',
};

/** What was changed at the institution. */
export const auditScreen: Screen = {
  path: '/audit',
  place: { section: 'Institution', label: 'Audit' },
  isFor: withPermission('audit.read'),
  show: (page) => auditPage(page, OWN),
};

/** What administrators did, and what belongs to no institution. */
export const networkAuditScreen: Screen = {
  path: '/network/audit',
  place: { section: 'Network', label: 'Audit' },
  isFor: isAdministrator,
  show: (page) => auditPage(page, NETWORKS),
};

/** The log as a file, or what of it the page shows. */
export const auditFileScreen: Screen = {
  path: '/audit/csv',
  isFor: withPermission('audit.read'),
  show: (page) => page.send(OWN.file, { query: filtersOf(page) }),
};

export const networkAuditFileScreen: Screen = {
  path: '/network/audit/csv',
  isFor: isAdministrator,
  show: (page) => page.send(NETWORKS.file, { query: filtersOf(page) }),
};

const filtersOf = (page: Page) => ({
  action: page.query('action'),
  actor_id: page.query('actor_id'),
  target_id: page.query('target_id'),
});

async function auditPage(page: Page, log: Log): Promise<View> {
  const { path, listing, title } = log;
  const filters = filtersOf(page);
  const asked = { ...filters, cursor: page.query('cursor') };
  const { value, next_cursor } = await page.call(listing, {
    query: { limit: '50', ...asked },
  });
  const checked = page.query('check') === 'true' ? await checkLog(page, log) : undefined;
  return {
    title,
    body: (
      <>
        {checked === undefined ? (
          <p class="no-print">
            Every entry is chained and signed: nobody changes one unnoticed.{' '}
            <a href={page.href(path, { ...filters, check: 'true' })}>Check the log</a>
          </p>
        ) : (
          <LogCheck of={checked} />
        )}
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
          <a class="button quiet" href={page.href(`${path}/csv`, filters)} download>
            CSV
          </a>
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

/** What a check of a log has shown. */
type Checked =
  | { readonly outcome: 'unsigned' }
  | { readonly outcome: 'wrong'; readonly why: string }
  | {
      readonly outcome: 'right';
      readonly newest: SignedCheckpoint;
      /** The one before it, which it begins with. */
      readonly before: SignedCheckpoint | undefined;
      readonly note: string;
    };

/** Holds the newest checkpoint against the published keys, and against the one before it. */
async function checkLog(page: Page, log: Log): Promise<Checked> {
  const { value: found } = await page.call(log.checkpoints, { query: { limit: '2' } });
  const { value: keys } = await page.call('listAuditKeys');
  const verifier = new CheckpointVerifier(keys.map((key) => readKey(key.public_key)));
  const signed = found.map(({ note }) => parseNote(note));
  const [newest, before] = signed;
  const note = found[0]?.note;
  if (found.length === 0 || note === undefined) return { outcome: 'unsigned' };
  if (newest === undefined || signed.includes(undefined)) {
    return { outcome: 'wrong', why: 'A checkpoint is not one.' };
  }
  for (const one of signed) {
    const fault = one && verifier.faultOf(one);
    if (fault !== undefined) {
      return { outcome: 'wrong', why: `The checkpoint of ${one?.size} entries: ${fault}.` };
    }
  }
  if (before !== undefined && before.size < newest.size) {
    const query = { from: String(before.size), to: String(newest.size) };
    const { value: proof } = await page.call(log.consistency, { query });
    const hashes = proof.path.map((hash) => Buffer.from(hash, 'hex'));
    if (!isConsistent(before, newest, hashes)) {
      const why = `The log of ${newest.size} entries does not begin with that of ${before.size}.`;
      return { outcome: 'wrong', why };
    }
  }
  return { outcome: 'right', newest, before, note };
}

const LogCheck: FC<{ of: Checked }> = ({ of }) => {
  switch (of.outcome) {
    case 'unsigned':
      return (
        <Notice live>
          <p>Nothing is signed yet: that comes within the hour.</p>
        </Notice>
      );
    case 'wrong':
      return (
        <Notice kind="bad" live>
          <p>
            <strong>The log does not hold.</strong> {of.why} Keep this page, and ask those who run
            the network.
          </p>
        </Notice>
      );
    case 'right':
      return (
        <Notice kind="good" live>
          <p>
            <strong>
              The first {count(of.newest.size)} entries are signed, and the signature is good.
            </strong>{' '}
            Signed <Time at={of.newest.signed_at} />
            {of.before !== undefined &&
              of.before.size < of.newest.size &&
              `; it begins with the ${count(of.before.size)} that were signed before`}
            .
          </p>
          <details>
            <summary>What to keep</summary>
            <p>
              Kept where the network cannot reach it, this proves later that nothing of it was
              changed. <a href="/docs/guides/audit">How to check it yourself</a>
            </p>
            <pre class="note">{of.note}</pre>
            <button type="button" class="quiet" data-copy={of.note} hidden>
              Copy the checkpoint
            </button>
          </details>
        </Notice>
      );
    default:
      return of satisfies never;
  }
};
