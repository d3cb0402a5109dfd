import type { Operations, WireOf } from '@credit/contract';
import {
  FAULT_COLUMNS,
  fieldsOfRows,
  readHeader,
  readRows,
  UnreadableFile,
} from '@credit/furnishing';
import { invalid, isAppError } from '@credit/platform/errors';
import type { FC } from 'hono/jsx';
import { attempt, type Faults } from '../attempt';
import { Choices, count, Done, Field, FileField, Form, Submit, Table, Time } from '../components';
import type { FileGiven } from '../file-form';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';
import { kindOf, MAPPINGS, PATH } from './imports';

type Mapping = WireOf<Operations['listImportMappings']>[number];

/** A header with all its columns is found in this much of any file that has one. */
const HEAD_BYTES = 131_072;
const MAX_COLUMNS = 100;
const SAMPLE_LENGTH = 40;

const KINDS = [
  { value: 'ACCOUNTS', label: 'Accounts' },
  { value: 'EVENTS', label: 'Events' },
] as const;

/** What is known of a file's columns: their names, and what stands in the first row. */
interface Head {
  readonly kind: Mapping['kind'];
  readonly columns: readonly string[];
  readonly samples: readonly string[];
}

/** Which columns of the institution's files are which fields. */
export const importMappingsScreen: Screen = {
  path: MAPPINGS,
  isFor: withPermission('records.write'),
  by_environment: true,
  show: (page) => listPage(page),
  submit: async (page) => {
    const { form } = page;
    const name = form.text('name').trim();
    if (form.text('act') === 'delete') {
      const outcome = await attempt(() => page.call('deleteImportMapping', { params: { name } }));
      if ('faults' in outcome) return listPage(page, outcome.faults);
      return { location: page.href(MAPPINGS, { done: 'deleted' }) };
    }
    const head = headOf(page);
    const outcome = await attempt(() => kept(page, name, head));
    if ('faults' in outcome) return matchPage(page, head, outcome.faults);
    const { kind } = head;
    return { location: page.href(`${PATH}/new`, { done: 'kept', mapping: name, kind }) };
  },
  upload: async (page, file) => {
    const outcome = await attempt(() => headIn(page, file));
    if ('faults' in outcome) return listPage(page, outcome.faults);
    return matchPage(page, outcome.done);
  },
};

async function listPage(page: Page, faults?: Faults): Promise<View> {
  const { value } = await page.call('listImportMappings', { query: { limit: '100' } });
  return {
    title: 'Mappings of columns',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={{ deleted: 'The mapping is gone.' }} />
        <p>
          A mapping says once which column of your files is which field of the network’s.{' '}
          <a href={page.href(PATH)}>Back to the uploads</a>
        </p>
        <Table
          caption="Mappings"
          rows={value}
          empty="None is kept yet. Begin with a file of yours: its header is read, and nothing else."
          columns={[
            { name: 'Name', cell: ({ name }) => <code>{name}</code> },
            { name: 'For', cell: ({ kind }) => words(kind) },
            { name: 'Columns', cell: (one) => <Columns of={one} /> },
            { name: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
            {
              name: '',
              cell: ({ name }) => (
                <details>
                  <summary>Delete</summary>
                  <Form page={page} class="inline">
                    <input type="hidden" name="name" value={name} />
                    <p>Imports that were begun with it go on as they began.</p>
                    <Submit danger name="act" value="delete">
                      Delete {name}
                    </Submit>
                  </Form>
                </details>
              ),
            },
          ]}
        />
        <h2>Match the columns of a file</h2>
        <Form page={page} faults={faults} file={{ head_bytes: HEAD_BYTES }}>
          <Choices
            type="radio"
            name="kind"
            legend="What is in it"
            choices={KINDS}
            chosen={page.form.all('kind')}
            faults={faults}
          />
          <FileField
            name="file"
            label="A file with the columns"
            hint="CSV. Its header and first row are read; nothing is kept."
            faults={faults}
          />
          <Submit>Read its header</Submit>
        </Form>
      </>
    ),
  };
}

const Columns: FC<{ of: Mapping }> = ({ of }) => {
  const columns = Object.entries(of.columns ?? {});
  const constants = Object.entries(of.constants);
  return (
    <details>
      <summary>
        {of.columns === null ? 'as they are named' : count(columns.length)}
        {constants.length > 0 && `, ${constants.length} the same in every row`}
      </summary>
      <dl class="facts">
        {columns.map(([column, field]) => (
          <div>
            <dt>{column}</dt>
            <dd>
              <code>{field}</code>
            </dd>
          </div>
        ))}
        {constants.map(([field, text]) => (
          <div>
            <dt>every row</dt>
            <dd>
              <code>{field}</code> {text}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
};

/** The header of a file, of which no more is read. */
async function headIn(page: Page, file: FileGiven | undefined): Promise<Head> {
  const kind = kindFrom(page.form.text('kind'));
  if (kind === undefined) throw invalid('kind', 'must be chosen');
  if (file === undefined) throw invalid('file', 'must be chosen');
  const chunks: Buffer[] = [];
  let size_bytes = 0;
  for await (const chunk of file.content) {
    chunks.push(chunk);
    size_bytes += chunk.length;
    if (size_bytes >= HEAD_BYTES) break;
  }
  const head = Buffer.concat(chunks).subarray(0, HEAD_BYTES);
  const source = async function* (from: number) {
    yield head.subarray(from);
  };
  try {
    const { names } = await readHeader(source);
    const columns = names.filter((name) => !(FAULT_COLUMNS as readonly string[]).includes(name));
    if (columns.length > MAX_COLUMNS) {
      throw invalid('file', `has ${columns.length} columns: ${MAX_COLUMNS} can be mapped`);
    }
    const first = await firstOf(readRows(source, { format: 'csv' }));
    return { kind, columns, samples: columns.map((name) => first[name] ?? '') };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw invalid('file', `cannot be read: ${error.message.replace(/\.$/, '')}`);
  }
}

async function firstOf(
  rows: ReturnType<typeof readRows>,
): Promise<Readonly<Record<string, string>>> {
  try {
    for await (const { cells } of rows) return cells ?? {};
  } catch (error) {
    // The header is what counts.
    if (!(error instanceof UnreadableFile) && !isAppError(error)) throw error;
  }
  return {};
}

function kindFrom(text: string): Mapping['kind'] | undefined {
  return KINDS.find(({ value }) => value === text)?.value;
}

/** The head that the form was made for. */
function headOf({ form }: Page): Head {
  const kind = kindFrom(form.text('kind')) ?? 'ACCOUNTS';
  return { kind, columns: textsIn(form.text('columns')), samples: textsIn(form.text('samples')) };
}

function textsIn(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.slice(0, MAX_COLUMNS).map(String) : [];
  } catch {
    return [];
  }
}

async function kept(page: Page, name: string, { kind, columns }: Head): Promise<void> {
  const fields = page.form.all('field');
  const named = columns.flatMap((column, index): [string, string][] => {
    const field = fields[index] ?? '';
    return field === '' ? [] : [[column, field]];
  });
  const constants = page.form
    .text('constants')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      if (at < 1)
        throw invalid('constants', `has "${line}", which is not of the form field = text`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  if (!/^[A-Za-z0-9]/.test(name)) throw invalid('name', 'must begin with a letter or digit');
  await page.call('saveImportMapping', {
    params: { name },
    body: {
      kind,
      columns: Object.fromEntries(named),
      ...(constants.length > 0 && { constants: Object.fromEntries(constants) }),
    },
  });
}

/** `Loan No.` and `loan_no` are likely the same. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function matchPage(page: Page, head: Head, faults?: Faults): View {
  const { kind, columns, samples } = head;
  const fields = fieldsOfRows(kindOf(kind));
  const chosen = faults === undefined ? guessed(columns, fields) : page.form.all('field');
  return {
    title: 'Match the columns',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>What is left out is not read. Fields with a star are in every row of {kindOf(kind)}.</p>
        <Form page={page} class="form wide" faults={faults}>
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="columns" value={JSON.stringify(columns)} />
          <input
            type="hidden"
            name="samples"
            value={JSON.stringify(samples.map((text) => text.slice(0, SAMPLE_LENGTH)))}
          />
          <Table
            caption="Columns"
            rows={columns.map((column, index) => ({ column, index }))}
            empty="The header has no columns."
            columns={[
              {
                name: 'Column',
                cell: ({ column, index }) => <label for={`field-${index}`}>{column}</label>,
              },
              {
                name: 'In the first row',
                cell: ({ index }) => (
                  <span class="soft">{samples[index]?.slice(0, SAMPLE_LENGTH) || '–'}</span>
                ),
              },
              {
                name: 'Field',
                cell: ({ index }) => (
                  <select id={`field-${index}`} name="field">
                    <option value="">left out</option>
                    {fields.map(({ path, is_required }) => (
                      <option value={path} selected={chosen[index] === path}>
                        {path}
                        {is_required && ' *'}
                      </option>
                    ))}
                  </select>
                ),
              },
            ]}
          />
          <Field
            name="constants"
            label="The same in every row"
            rows={4}
            value={page.form.text('constants')}
            faults={faults}
            hint="A line each: field = text, as currency = DCR. For cells that are empty and fields without a column."
          />
          <Field
            name="name"
            label="Name of the mapping"
            required
            value={page.form.text('name')}
            faults={faults}
            hint="Letters, digits, - and _. One of the same name is replaced."
          />
          <Submit>Keep the mapping</Submit>
        </Form>
        <details>
          <summary>What the fields are</summary>
          <Table
            caption="Fields"
            rows={fields}
            empty=""
            columns={[
              {
                name: 'Field',
                cell: ({ path, is_required }) => (
                  <>
                    <code>{path}</code>
                    {is_required && ' *'}
                  </>
                ),
              },
              {
                name: 'What it is',
                cell: ({ description, values }) => (
                  <>
                    {description} {values && <span class="soft">One of {values.join(', ')}.</span>}
                  </>
                ),
              },
            ]}
          />
        </details>
      </>
    ),
  };
}

/** Fields that columns are named after, each for the first of them. */
function guessed(
  columns: readonly string[],
  fields: readonly { readonly path: string }[],
): readonly string[] {
  const left = new Set(fields.map(({ path }) => path));
  return columns.map((column) => {
    const found = [...left].find(
      (path) => plain(path) === plain(column) || plain(path.replace(/^.*\./, '')) === plain(column),
    );
    if (found !== undefined) left.delete(found);
    return found ?? '';
  });
}
