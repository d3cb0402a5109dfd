import { randomUUID } from 'node:crypto';
import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import { Done, Facts, Field, Form, Id, Notice, Pager, Submit, Table, Time } from '../components';
import type { Page, Form as SentForm, View } from '../page';
import { isAdministrator, type Screen } from '../screen';

const PATH = '/network/mixed-files';

type Moved = WireOf<Operations['mergeSubjects']>;
type Move = WireOf<Operations['listSubjectMoves']>[number];

/** Whose file is to be looked at. */
export const mixedFilesScreen: Screen = {
  path: PATH,
  place: { section: 'Network', label: 'Mixed files' },
  isFor: isAdministrator,
  show: async (page) => ({
    title: 'Mixed files',
    body: (
      <>
        <p>
          One party that is on file twice, or a file that holds the records of two. Name the subject
          whose file it is: of two, the one that stays.
        </p>
        <Form page={page}>
          <Field name="subject_id" label="Subject id" required />
          <Submit>Look at it</Submit>
        </Form>
      </>
    ),
  }),
  submit: async (page) => ({
    location: page.href(`${PATH}/${page.form.text('subject_id').trim()}`),
  }),
};

/** What was merged into a subject and split from it, and how either is done. */
export const mixedFileScreen: Screen = {
  path: `${PATH}/:subject_id`,
  isFor: isAdministrator,
  show: (page) => filePage(page),
  submit: async (page) => {
    const { form } = page;
    const [what, act] = form.text('act').split(':');
    if (act === 'change') return filePage(page);
    const is_done = act === 'do';
    const outcome = await attempt(() => send(page, what === 'merge' ? 'merge' : 'split', is_done));
    if ('faults' in outcome) return filePage(page, outcome.faults);
    if (!is_done) return previewPage(page, outcome.done);
    return { location: page.href(`${PATH}/${page.param('subject_id')}`, { done: what ?? '' }) };
  },
};

async function send(page: Page, what: 'merge' | 'split', is_done: boolean): Promise<Moved> {
  const { form } = page;
  const asked = {
    params: { subject_id: page.param('subject_id') },
    query: is_done ? {} : { dry_run: 'true' },
    idempotency_key: form.text('key'),
  };
  const reason = form.text('reason');
  if (what === 'merge') {
    const body = { other_subject_id: form.text('other_subject_id').trim(), reason };
    return (await page.call('mergeSubjects', { ...asked, body })).value;
  }
  const [account_ids, inquiry_ids] = [idsOf(form, 'account_ids'), idsOf(form, 'inquiry_ids')];
  const body = {
    reason,
    move_id: form.given('move_id'),
    to_subject_id: form.given('to_subject_id')?.trim(),
    ...(account_ids.length > 0 && { account_ids }),
    ...(inquiry_ids.length > 0 && { inquiry_ids }),
  };
  return (await page.call('splitSubject', { ...asked, body })).value;
}

/** Ids as they are pasted: with blanks or on lines of their own. */
function idsOf(form: SentForm, name: string): string[] {
  return form
    .text(name)
    .split(/[\s,]+/)
    .filter((id) => id !== '');
}

const FIELDS = [
  'other_subject_id',
  'move_id',
  'to_subject_id',
  'account_ids',
  'inquiry_ids',
  'reason',
  'key',
] as const;

async function filePage(page: Page, faults?: Faults): Promise<View> {
  const subject_id = page.param('subject_id');
  const cursor = page.query('cursor');
  const { value: moves, next_cursor } = await page.call('listSubjectMoves', {
    params: { subject_id },
    query: { limit: '25', cursor },
  });
  const standing = moves.filter(
    (move) =>
      move.kind === 'MERGE' && move.to_subject_id === subject_id && move.undone_by_move_id === null,
  );
  const [latest] = moves;
  const gone =
    latest?.kind === 'MERGE' &&
    latest.from_subject_id === subject_id &&
    latest.undone_by_move_id === null
      ? latest.to_subject_id
      : undefined;
  const [act] = page.form.text('act').split(':');
  const given = (of: string, name: string) => (act === of ? page.form.text(name) : '');
  return {
    title: 'A subject’s file',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done
          page={page}
          says={{
            merge: 'The files are one. Members concerned find it in their feeds.',
            split: 'The records have gone. Members concerned find it in their feeds.',
          }}
        />
        <Facts of={[['Subject', <Id of={subject_id} />]]} />
        {gone !== undefined && (
          <Notice>
            <p>
              This subject was merged: its records are with{' '}
              <a href={page.href(`${PATH}/${gone}`)}>the other one</a>, where it can be taken back.
            </p>
          </Notice>
        )}
        <h2>What was moved</h2>
        <Table
          caption="Merges and splits"
          rows={moves}
          empty="Nothing has ever been merged or split here."
          columns={columnsOf(page, subject_id)}
        />
        <Pager page={page} path={`${PATH}/${subject_id}`} next={next_cursor} />
        {gone === undefined && (
          <>
            <details open={act === 'merge' && faults !== undefined}>
              <summary>Merge another subject into this one</summary>
              <Form page={page} faults={act === 'merge' ? faults : undefined}>
                <input type="hidden" name="key" value={randomUUID()} />
                <Field
                  name="other_subject_id"
                  label="Subject that goes"
                  hint="All its records become this one’s, and its id leads here."
                  required
                  value={given('merge', 'other_subject_id')}
                  faults={act === 'merge' ? faults : undefined}
                />
                <ReasonField value={given('merge', 'reason')} id="merge" />
                <Submit name="act" value="merge:see">
                  See what it would do
                </Submit>
              </Form>
            </details>
            {standing.map((move) => (
              <details>
                <summary>
                  Take back the merge of <Time at={move.moved_at} />
                </summary>
                <Form page={page}>
                  <input type="hidden" name="key" value={randomUUID()} />
                  <input type="hidden" name="move_id" value={move.id} />
                  <ReasonField value="" id={move.id} />
                  <Submit name="act" value="split:see">
                    See what it would do
                  </Submit>
                </Form>
              </details>
            ))}
            <details open={act === 'split' && faults !== undefined}>
              <summary>Move single records to another subject</summary>
              <Form page={page} faults={act === 'split' ? faults : undefined}>
                <input type="hidden" name="key" value={randomUUID()} />
                <Field
                  name="to_subject_id"
                  label="Subject that they are about"
                  required
                  value={given('split', 'to_subject_id')}
                />
                <Field
                  name="account_ids"
                  label="Account ids"
                  hint="One on a line."
                  rows={3}
                  value={given('split', 'account_ids')}
                />
                <Field
                  name="inquiry_ids"
                  label="Inquiry ids"
                  hint="One on a line."
                  rows={3}
                  value={given('split', 'inquiry_ids')}
                />
                <ReasonField value={given('split', 'reason')} id="split" />
                <Submit name="act" value="split:see">
                  See what it would do
                </Submit>
              </Form>
            </details>
          </>
        )}
      </>
    ),
  };
}

/** There may be several on a page, each with a label of its own. */
const ReasonField = ({ value, id }: { value: string; id: string }) => (
  <div class="field">
    <label for={`reason-${id}`}>Why</label>
    <p class="hint" id={`reason-hint-${id}`}>
      For the network’s own log: members are not shown it.
    </p>
    <textarea
      id={`reason-${id}`}
      name="reason"
      rows={3}
      required
      maxlength={1_000}
      aria-describedby={`reason-hint-${id}`}
    >
      {value}
    </textarea>
  </div>
);

function columnsOf(page: Page, subject_id: string) {
  const other = (id: string) =>
    id === subject_id ? 'this one' : <a href={page.href(`${PATH}/${id}`)}>{id.slice(-12)}</a>;
  return [
    { name: 'When', cell: ({ moved_at }: Move) => <Time at={moved_at} /> },
    {
      name: 'What',
      cell: ({ kind, undone_by_move_id, undoes_move_id }: Move) => {
        if (kind === 'MERGE') return undone_by_move_id === null ? 'Merged' : 'Merged, taken back';
        return undoes_move_id === null ? 'Split' : 'Merge taken back';
      },
    },
    { name: 'From', cell: ({ from_subject_id }: Move) => other(from_subject_id) },
    { name: 'To', cell: ({ to_subject_id }: Move) => other(to_subject_id) },
    { name: 'Accounts', number: true as const, cell: ({ account_count }: Move) => account_count },
    { name: 'Inquiries', number: true as const, cell: ({ inquiry_count }: Move) => inquiry_count },
    { name: 'Why', cell: ({ reason }: Move) => <span class="text">{reason}</span> },
  ];
}

/** Both files as they would be; asked once. */
function previewPage(page: Page, { account_count, inquiry_count, kind, preview }: Moved): View {
  const { form } = page;
  const [what] = form.text('act').split(':');
  const files = preview === null ? [] : [preview.from, preview.to];
  const rated = (score: number | null, grade: string | null) =>
    score === null ? 'not rated' : `${score} (${grade})`;
  return {
    title: kind === 'MERGE' ? 'Merge the two?' : 'Move the records?',
    body: (
      <>
        <p>
          Accounts that would go from the first subject to the second: {account_count}. Inquiries:{' '}
          {inquiry_count}.
        </p>
        <Table
          caption="Both files"
          rows={files}
          empty=""
          columns={[
            { name: 'Subject', cell: ({ subject_id }) => <Id of={subject_id} /> },
            { name: 'Accounts now', number: true, cell: ({ accounts_before }) => accounts_before },
            { name: 'Then', number: true, cell: ({ accounts_after }) => accounts_after },
            {
              name: 'Score now',
              cell: ({ score_before, grade_before }) => rated(score_before, grade_before),
            },
            {
              name: 'Score then',
              cell: ({ score_after, grade_after }) => rated(score_after, grade_after),
            },
          ]}
        />
        <p class="text">{form.text('reason')}</p>
        <Form page={page}>
          {FIELDS.map((name) => {
            const value = form.given(name);
            return value && <input type="hidden" name={name} value={value} />;
          })}
          <p class="row">
            <Submit danger name="act" value={`${what}:do`}>
              {kind === 'MERGE' ? 'Merge' : 'Move'}
            </Submit>
            <Submit quiet name="act" value={`${what}:change`}>
              Change
            </Submit>
          </p>
        </Form>
      </>
    ),
  };
}
