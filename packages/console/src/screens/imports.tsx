import type { Operations, WireOf } from '@credit/contract';
import { formatOf, templateOf } from '@credit/furnishing';
import { invalid, notFound } from '@credit/platform/errors';
import { csvLine } from '@credit/platform/values';
import type { FC } from 'hono/jsx';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  count,
  Done,
  FileField,
  Form,
  Id,
  Pager,
  Select,
  Submit,
  Table,
  Time,
  type Tone,
} from '../components';
import type { FileGiven } from '../file-form';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

export type Import = WireOf<Operations['getImport']>;

export const PATH = '/imports';
const NEW = `${PATH}/new`;
export const MAPPINGS = `${PATH}/mappings`;

const KINDS = [
  {
    value: 'ACCOUNTS',
    label: 'Accounts',
    hint: 'One a row, with its subject: a book to begin with, or what is new in it.',
  },
  {
    value: 'EVENTS',
    label: 'Events',
    hint: 'Payments, balances, defaults of accounts that are on file: one a row.',
  },
] as const;
type Kind = (typeof KINDS)[number]['value'];

const STATES: Readonly<Record<Import['state'], { tone: Tone; text: string }>> = {
  UPLOADING: { tone: 'warn', text: 'Waits for the rest of its file' },
  CHECKING: { tone: 'accent', text: 'Being checked' },
  CHECKED: { tone: 'warn', text: 'Checked, nothing written yet' },
  APPLYING: { tone: 'accent', text: 'Being written' },
  FINISHED: { tone: 'good', text: 'Finished' },
  FAILED: { tone: 'bad', text: 'Failed' },
  CANCELLED: { tone: 'plain', text: 'Given up' },
};

/** How far an import is, in words. */
export const ImportState: FC<{ of: Import }> = ({ of }) => {
  const { tone, text } =
    of.state === 'FINISHED' && of.refused > 0
      ? { tone: 'warn' as const, text: 'Finished, with refusals' }
      : STATES[of.state];
  return <Badge tone={tone}>{text}</Badge>;
};

/** The institution's files, and how far each is. */
export const importsScreen: Screen = {
  path: PATH,
  place: { section: 'Record', label: 'Upload' },
  isFor: withPermission('records.write'),
  by_environment: true,
  show: async (page) => {
    const query = { limit: '25', cursor: page.query('cursor') };
    const { value, next_cursor } = await page.call('listImports', { query });
    return {
      title: 'Upload',
      body: (
        <>
          <Done page={page} says={{ cancelled: 'The import is given up.' }} />
          <p class="row">
            <a class="button" href={page.href(NEW)}>
              Upload a file
            </a>
            <a href={page.href(MAPPINGS)}>Mappings of columns</a>
          </p>
          <Table
            caption="Imports"
            rows={value}
            empty="No file was uploaded in the last 30 days. Begin with a template, or with a file of your own."
            columns={[
              {
                name: 'File',
                cell: (one) => (
                  <>
                    <a href={page.href(`${PATH}/${one.id}`)}>
                      {words(one.kind)} of <Time at={one.created_at} />
                    </a>
                    {one.dry_run && <span class="soft"> (checked first)</span>}
                  </>
                ),
              },
              { name: 'State', cell: (one) => <ImportState of={one} /> },
              { name: 'Rows', number: true, cell: (one) => count(one.rows ?? one.checked_rows) },
              { name: 'Reported', number: true, cell: (one) => count(one.reported) },
              { name: 'On file before', number: true, cell: (one) => count(one.existing) },
              { name: 'Faulty', number: true, cell: (one) => count(one.faulty_rows) },
              { name: 'Id', cell: (one) => <Id of={one.id} /> },
            ]}
          />
          <Pager page={page} path={PATH} next={next_cursor} />
        </>
      ),
    };
  },
};

/** A file to send. */
export const newImportScreen: Screen = {
  path: NEW,
  isFor: withPermission('records.write'),
  by_environment: true,
  show: (page) => newPage(page),
  upload: async (page, file) => {
    const outcome = await attempt(() => begun(page, file));
    if ('faults' in outcome) return newPage(page, outcome.faults);
    return { location: page.href(`${PATH}/${outcome.done}`) };
  },
};

/** Begins an import and takes its file in; what does not come whole leaves nothing behind. */
async function begun(page: Page, file: FileGiven | undefined): Promise<string> {
  const { form } = page;
  if (file === undefined) throw invalid('file', 'must be chosen');
  const type = formatOf(file.name) === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const partial = 'true';
  const { value } = await page.call('createImport', {
    query: {
      kind: form.text('kind'),
      dry_run: form.given('dry_run'),
      mapping: form.given('mapping'),
      partial,
    },
    upload: { type, content: nothing() },
  });
  const params = { import_id: value.id };
  // Scripts send a part after the other, and go on with what broke off.
  const goes_on = form.given('partial');
  try {
    await page.call('continueImport', {
      params,
      query: { from_bytes: '0', partial: goes_on },
      upload: { type, content: file.content },
    });
  } catch (error) {
    if (goes_on === undefined) await page.call('cancelImport', { params }).catch(() => {});
    throw error;
  }
  return value.id;
}

async function* nothing(): AsyncGenerator<Buffer> {}

async function newPage(page: Page, faults?: Faults): Promise<View> {
  const { value: mappings } = await page.call('listImportMappings', { query: { limit: '100' } });
  const wanted = (name: string) => page.form.given(name) ?? page.query(name);
  const kind = wanted('kind');
  return {
    title: 'Upload a file',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done
          page={page}
          says={{ kept: 'The mapping is kept. Choose the file once more, to be read by it.' }}
        />
        <p>
          CSV with a header, or NDJSON, in UTF-8: up to 1 GiB and a million rows. All of it is
          checked before any of it is written. <a href="/docs/guides/imports">How files are read</a>
        </p>
        <Form page={page} faults={faults} file={{ from_bytes: 0 }}>
          <Choices
            type="radio"
            name="kind"
            legend="What is in it"
            choices={KINDS}
            chosen={kind === undefined ? [] : [kind]}
            faults={faults}
          />
          <Select
            name="mapping"
            label="Its columns"
            value={wanted('mapping')}
            faults={faults}
            choices={[
              { value: '', label: 'have the network’s own names' },
              ...mappings.map((one) => ({
                value: one.name,
                label: `are mapped by ${one.name} (${one.kind.toLowerCase()})`,
              })),
            ]}
          />
          <p>
            Columns of other names? <a href={page.href(MAPPINGS)}>Match them once</a>, and keep that
            under a name.
          </p>
          <Choices
            type="radio"
            name="dry_run"
            legend="When every row is right"
            choices={[
              { value: 'true', label: 'wait', hint: 'Nothing is written until you say so.' },
              { value: 'false', label: 'write it at once' },
            ]}
            chosen={[page.form.given('dry_run') ?? 'true']}
          />
          <FileField
            name="file"
            label="File"
            hint="Named .ndjson or .jsonl it is read as NDJSON, otherwise as CSV."
            faults={faults}
          />
          <Submit>Send and check</Submit>
        </Form>
        <h2>Templates</h2>
        <p>
          A header with the network’s names and nothing under it, to fill in or to compare with.
        </p>
        <ul>
          {KINDS.map(({ value, label }) => (
            <li>
              <a href={page.href(`${PATH}/template`, { kind: value })} download>
                {label}
              </a>
              <span class="soft"> {templateOf(kindOf(value)).length} columns, CSV</span>
            </li>
          ))}
        </ul>
      </>
    ),
  };
}

export function kindOf(kind: Kind): 'accounts' | 'events' {
  return kind === 'EVENTS' ? 'events' : 'accounts';
}

/** A file to fill in. */
export const templateScreen: Screen = {
  path: `${PATH}/template`,
  isFor: withPermission('records.write'),
  by_environment: true,
  show: async (page) => {
    const wanted = page.query('kind') ?? KINDS[0].value;
    const known = KINDS.find(({ value }) => value === wanted);
    if (known === undefined) throw notFound('There is no such template.');
    const kind = kindOf(known.value);
    const text = csvLine(templateOf(kind));
    return { file: { name: `${kind}.csv`, type: 'text/csv', text } };
  },
};
