import { ERROR_REASONS, ERRORS_URL, type Operations, type WireOf } from '@credit/contract';
import { requestError } from '@credit/platform/errors';
import type { FC } from 'hono/jsx';
import { attempt, type Faults } from '../attempt';
import {
  count,
  Done,
  Facts,
  FaultSummary,
  FileField,
  Form,
  Id,
  Notice,
  Stat,
  Submit,
  Table,
  Time,
} from '../components';
import type { FileGiven } from '../file-form';
import type { Page, View } from '../page';
import { Bar } from '../pictures';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';
import { type Import, ImportState, PATH } from './imports';

type FaultyRow = WireOf<Operations['listImportFaults']>[number];
type AuditEvent = WireOf<Operations['listAuditEvents']>[number];

/** How many faults the page shows; all of them are in the file. */
const SHOWN_FAULTS = 50;

/** One import: how far it is, what is wrong with its rows, and what came of it. */
export const importScreen: Screen = {
  path: `${PATH}/:import_id`,
  isFor: withPermission('records.write'),
  by_environment: true,
  show: (page) => importPage(page),
  submit: async (page) => {
    const params = paramsOf(page);
    const id = page.form.text('act') === 'cancel' ? 'cancelImport' : 'startImport';
    const outcome = await attempt(() => page.call(id, { params }));
    if ('faults' in outcome) return importPage(page, outcome.faults);
    return { location: page.href(`${PATH}/${params.import_id}`) };
  },
  upload: async (page, file) => {
    const outcome = await attempt(() => goneOn(page, file));
    if ('faults' in outcome) return importPage(page, outcome.faults);
    return { location: page.href(`${PATH}/${page.param('import_id')}`) };
  },
};

/** The faulty rows, to correct and send again. */
export const importFaultsScreen: Screen = {
  path: `${PATH}/:import_id/faults`,
  isFor: withPermission('records.write'),
  by_environment: true,
  show: (page) => page.send('getImportFaultsFile', { params: paramsOf(page) }),
};

const paramsOf = (page: Page) => ({ import_id: page.param('import_id') });

/** Sends what the network does not have of a file yet. */
async function goneOn(page: Page, file: FileGiven | undefined): Promise<void> {
  const params = paramsOf(page);
  const { form } = page;
  const { value: found } = await page.call('getImport', { params });
  // Of a whole file that is sent once more, from its beginning; scripts say where their part begins.
  const begins_at = Number(form.given('begins_at') ?? '0');
  const skip_bytes = found.received_bytes - begins_at;
  if (file === undefined || !(skip_bytes >= 0)) {
    throw requestError('The file does not go on where the network’s ends.');
  }
  await page.call('continueImport', {
    params,
    query: { from_bytes: String(found.received_bytes), partial: form.given('partial') },
    upload: {
      type: found.format === 'CSV' ? 'text/csv' : 'application/x-ndjson',
      content: behind(file.content, skip_bytes),
    },
  });
}

async function* behind(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of content) {
    const rest = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

const isAtWork = ({ state }: Import) => state === 'CHECKING' || state === 'APPLYING';

async function importPage(page: Page, faults?: Faults): Promise<View> {
  const params = paramsOf(page);
  const here = page.href(`${PATH}/${params.import_id}`);
  const { value: found } = await page.call('getImport', { params });
  const rows =
    found.faulty_rows === 0
      ? []
      : (await page.call('listImportFaults', { params, query: { limit: String(SHOWN_FAULTS) } }))
          .value;
  const log = page.may('audit.read') ? await logOf(page, found) : [];
  const looks = isAtWork(found) && {
    'hx-get': here,
    'hx-trigger': 'every 3s',
    'hx-select': '#import',
    'hx-swap': 'outerHTML',
  };
  return {
    title: `${words(found.kind)} from a file`,
    status: faults === undefined ? 200 : 422,
    body: (
      <div id="import" {...looks}>
        <Done page={page} says={{}} />
        {faults && <FaultSummary faults={faults} page={page} />}
        <p class="row" role="status">
          <ImportState of={found} />
          {isAtWork(found) && <a href={here}>Look again</a>}
        </p>
        <Progress of={found} />
        <Next page={page} of={found} />
        {rows.length > 0 && <FaultyRows page={page} of={found} rows={rows} />}
        <Receipt page={page} of={found} log={log} />
      </div>
    ),
  };
}

/** What was done with it and by whom, the first thing first. */
async function logOf(page: Page, { id }: Import): Promise<readonly AuditEvent[]> {
  const { value } = await page.call('listAuditEvents', { query: { target_id: id, limit: '25' } });
  return value.filter(({ action }) => action.startsWith('import.')).toReversed();
}

const Progress: FC<{ of: Import }> = ({ of }) => {
  const done = of.state === 'APPLYING' ? of.applied_rows : of.checked_rows;
  return (
    <>
      {of.state === 'APPLYING' && of.rows !== null && (
        <p>
          <Bar name="Rows written" value={of.applied_rows} max={of.rows} />
        </p>
      )}
      {of.state === 'CHECKING' && <p>{count(done)} rows were looked at.</p>}
      <div class="stats">
        <Stat name="Rows" value={of.rows === null ? '–' : count(of.rows)} />
        <Stat name="Reported" value={count(of.reported)} />
        <Stat name="On file before" value={count(of.existing)} />
        <Stat
          name="Refused"
          value={count(of.refused)}
          {...(of.refused > 0 && { tone: 'warn' as const })}
        />
        <Stat
          name="With faults"
          value={count(of.faulty_rows)}
          {...(of.faulty_rows > 0 && { tone: 'bad' as const })}
        />
      </div>
    </>
  );
};

/** What comes next, and what can be done. */
const Next: FC<{ page: Page; of: Import }> = ({ page, of }) => {
  switch (of.state) {
    case 'UPLOADING':
      return (
        <>
          <Notice>
            <p>
              <strong>{size(of.received_bytes)} have arrived, and more is to come.</strong> Choose
              the same file again: what is here already is not taken twice.
            </p>
          </Notice>
          <Form page={page} file={{ from_bytes: of.received_bytes }}>
            <FileField
              name="file"
              label="The same file"
              hint="Unchanged since it was first sent."
            />
            <Submit>Send the rest</Submit>
          </Form>
          <Cancel page={page} says="What has arrived is thrown away." />
        </>
      );
    case 'CHECKED':
      return (
        <>
          <Notice kind="good">
            <p>
              <strong>Every row is right.</strong> Nothing is written yet.
            </p>
          </Notice>
          <Form page={page} class="inline">
            <Submit name="act" value="start">
              Write {count(of.rows ?? 0)} rows
            </Submit>
          </Form>
          <Cancel page={page} says="Nothing is written." />
        </>
      );
    case 'CHECKING':
      return <Cancel page={page} says="Nothing is written." />;
    case 'APPLYING':
      return <Cancel page={page} says="What was written stays; correct it by events." />;
    case 'FAILED':
      return of.failure === 'INTERNAL' ? (
        <>
          <Notice kind="bad">
            <p>
              <strong>The network failed at it again and again.</strong> It goes on where it was.
            </p>
          </Notice>
          <Form page={page} class="inline">
            <Submit name="act" value="start">
              Go on
            </Submit>
          </Form>
        </>
      ) : (
        <Notice kind="bad">
          <p>
            <strong>Nothing was written.</strong> Correct the rows below and send the file again.
          </p>
        </Notice>
      );
    case 'FINISHED':
      return of.refused > 0 ? (
        <Notice>
          <p>
            <strong>All other rows are on file.</strong> Correct those below, and send them alone.
          </p>
        </Notice>
      ) : null;
    case 'CANCELLED':
      return null;
    default:
      return of.state satisfies never;
  }
};

const Cancel: FC<{ page: Page; says: string }> = ({ page, says }) => (
  <details>
    <summary>Give it up</summary>
    <Form page={page} class="inline">
      <p>{says}</p>
      <Submit danger name="act" value="cancel">
        Give this import up
      </Submit>
    </Form>
  </details>
);

const FaultyRows: FC<{ page: Page; of: Import; rows: readonly FaultyRow[] }> = ({
  page,
  of,
  rows,
}) => {
  const name = of.format === 'CSV' ? 'faults.csv' : 'faults.ndjson';
  const all = rows.flatMap(({ line, faults }) => faults.map((fault) => ({ line, ...fault })));
  return (
    <section>
      <h2>What is wrong</h2>
      <p class="row">
        <a class="button" href={page.href(`${PATH}/${of.id}/faults`)} download>
          {name}
        </a>
        <span class="soft">
          The faulty rows as they were sent. Correct them there, and send that file
          {of.mapping !== null && ` with the mapping ${of.mapping}`}.
        </span>
      </p>
      {of.faulty_rows > rows.length && (
        <p>
          {count(rows.length)} of {count(of.faulty_rows)} rows are shown here.
        </p>
      )}
      <Table
        caption="Faults"
        rows={all}
        empty=""
        columns={[
          { name: 'Line', number: true, cell: ({ line }) => count(line) },
          { name: 'Field', cell: ({ field }) => (field === '' ? 'the row' : <code>{field}</code>) },
          { name: 'Fault', cell: ({ message }) => message },
          { name: 'What helps', cell: ({ code }) => <Help code={code} /> },
        ]}
      />
    </section>
  );
};

/** What helps against what is only wrong in files; the rest is told where errors are. */
const HELP: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'Correct the cell. What a field takes stands at its operation.',
  DUPLICATE_ROW: 'Leave one of the two out.',
  MISSING_COLUMN: 'Add the column to the file, or take it out of the mapping.',
  COLUMN_COUNT: 'Give the row as many cells as the header; a cell with a comma stands in quotes.',
  MALFORMED_ROW: 'Put the whole cell into quotes, and double those inside.',
  ENCODING: 'Save the file as UTF-8.',
  ROW_TOO_LONG: 'A row has 64 KiB at most.',
  TOO_MANY_ROWS: 'Send several files.',
  UNREADABLE_FILE: 'Mend the line and send the file again: what is behind it was not read.',
};

const Help: FC<{ code: string }> = ({ code }) => {
  const reasons: Readonly<Record<string, { readonly cure: string } | undefined>> = ERROR_REASONS;
  const cure = HELP[code] ?? reasons[code]?.cure;
  const is_reason = reasons[code] !== undefined;
  return (
    <>
      {cure?.replaceAll('`', '')}{' '}
      {is_reason ? (
        <a href={`${ERRORS_URL}#${code}`}>{code}</a>
      ) : (
        <span class="soft">
          <code>{code}</code>
        </span>
      )}
    </>
  );
};

const Receipt: FC<{ page: Page; of: Import; log: readonly AuditEvent[] }> = ({ page, of, log }) => (
  <section>
    <h2>Receipt</h2>
    <Facts
      of={[
        ['Begun', <Time at={of.created_at} />],
        ['By', <By page={page} of={of} log={log} />],
        ['Ended', <Time at={of.finished_at} none="not yet" />],
        ['Size', `${size(of.received_bytes)}, ${of.format}`],
        ['Columns', of.mapping === null ? 'of the network’s names' : `mapped by ${of.mapping}`],
        [
          'Fingerprint (SHA-256)',
          of.sha256 === null ? '–' : <code class="breaking">{of.sha256}</code>,
        ],
        ['Kept until', <Time at={of.expires_at} day />],
        ['Id', <Id of={of.id} />],
      ]}
    />
    {log.length > 0 && (
      <ol class="log">
        {log.map((event) => (
          <li>
            <Time at={event.at} /> {words(event.action.replace('import.', ''))},{' '}
            {event.actor.name ?? words(event.actor.type)}
          </li>
        ))}
      </ol>
    )}
  </section>
);

/** Who began it: by name where the reader may know. */
const By: FC<{ page: Page; of: Import; log: readonly AuditEvent[] }> = ({ page, of, log }) => {
  const { type, id } = of.created_by;
  const name = log.find(({ actor }) => actor.id === id)?.actor.name;
  const own = id === page.me.id ? page.me.display_name : undefined;
  const shown = own ?? name;
  return (
    <>
      {shown ?? (type === 'user' ? 'a user' : 'an API key')} <Id of={id} />
    </>
  );
};

function size(bytes: number): string {
  return bytes < 1_000_000
    ? `${count(Math.ceil(bytes / 1_000))} kB`
    : `${count(Math.round(bytes / 100_000) / 10)} MB`;
}
