import { randomUUID } from 'node:crypto';
import { attempt, type Faults } from '../attempt';
import { Choices, Done, Field, Form, Notice, Pager, Submit, Table } from '../components';
import {
  Answers,
  type Case,
  Claim,
  Contested,
  Due,
  reasonIn,
  Stages,
  Status,
  Steps,
  VERDICTS,
} from '../dispute-parts';
import type { Page, View } from '../page';
import { isMember, type Screen, withPermission } from '../screen';
import { words } from '../words';

const PATH = '/disputes';

const STAGES = [
  { value: 'NEEDS_ANSWER', label: 'Needs an answer', empty: 'Nothing waits for your answer.' },
  {
    value: 'ANSWERED',
    label: 'Answered',
    empty: 'Nothing that you answered waits for a decision.',
  },
  { value: 'DECIDED', label: 'Decided', empty: 'No dispute about your reporting was decided yet.' },
] as const;

/** What is contested of the institution's reporting. */
export const disputesScreen: Screen = {
  path: PATH,
  place: { section: 'Record', label: 'Disputes' },
  isFor: isMember,
  by_environment: true,
  show: (page) => listPage(page),
};

/** One dispute: the claim beside the record, and the institution's answer. */
export const disputeScreen: Screen = {
  path: `${PATH}/:dispute_id`,
  isFor: withPermission('records.read'),
  by_environment: true,
  show: (page) => disputePage(page),
  submit: async (page) => {
    const { form } = page;
    const params = { dispute_id: page.param('dispute_id') };
    const body = {
      verdict: form.text('verdict'),
      text: form.text('text'),
      correction_event_ids: form.all('correction_event_ids'),
    };
    if (form.text('act') === 'change') return disputePage(page);
    const is_final = form.text('act') === 'send';
    const outcome = await attempt(() =>
      page.call('answerDispute', {
        params,
        body,
        ...(is_final
          ? { idempotency_key: form.text('idempotency_key') }
          : { query: { dry_run: 'true' } }),
      }),
    );
    if ('faults' in outcome) return disputePage(page, outcome.faults);
    if (!is_final) return confirmPage(page, body);
    return { location: page.href(`${PATH}/${params.dispute_id}`, { done: 'answered' }) };
  },
};

async function listPage(page: Page): Promise<View> {
  const stage = STAGES.find(({ value }) => value === page.query('stage')) ?? STAGES[0];
  const [q, cursor] = [page.query('q'), page.query('cursor')];
  const order = stage.value === 'DECIDED' ? undefined : 'DUE';
  const query = { limit: '25', stage: stage.value, order, q, cursor };
  const listed = page.call('listDisputes', { query });
  const [{ value, next_cursor }, overdue, ...totals] = await Promise.all([
    listed,
    page.call('listDisputes', { query: { limit: '1', overdue: 'true' } }),
    // The list that is shown is counted already, unless it is searched.
    ...STAGES.map(({ value: of }) =>
      of === stage.value && q === undefined
        ? listed
        : page.call('listDisputes', { query: { limit: '1', stage: of } }),
    ),
  ]);
  const late = overdue.total_count ?? 0;
  const opens = page.may('records.read');
  return {
    title: 'Disputes',
    body: (
      <>
        {late > 0 && (
          <Notice kind="bad">
            <p>
              {late === 1 ? 'One dispute is' : `${late} disputes are`} overdue. The network decides
              without you if you do not answer.
            </p>
          </Notice>
        )}
        <Stages
          page={page}
          path={PATH}
          label="Disputes by what is to be done"
          chosen={stage.value}
          stages={STAGES.map(({ value: of, label }, index) => ({
            value: of,
            label,
            total: totals[index]?.total_count ?? 0,
          }))}
        />
        <form method="get" class="row">
          <input type="hidden" name="stage" value={stage.value} />
          <Field name="q" label="In the claim" type="search" value={q} />
          <Submit quiet>Search</Submit>
        </form>
        <Table
          caption="Disputes"
          rows={value}
          empty={stage.empty}
          columns={[
            {
              name: 'What is said',
              cell: (dispute) => (
                <>
                  {opens ? (
                    <a href={page.href(`${PATH}/${dispute.id}`)}>{reasonIn(dispute)}</a>
                  ) : (
                    <strong>{reasonIn(dispute)}</strong>
                  )}
                  <p class="excerpt">{dispute.description}</p>
                </>
              ),
            },
            { name: 'From', cell: ({ opened_by }) => opened_by },
            { name: 'Due', cell: (dispute) => <Due of={dispute} /> },
            { name: 'State', cell: (dispute) => <Status of={dispute} /> },
          ]}
        />
        <Pager page={page} path={PATH} next={next_cursor} query={{ stage: stage.value, q }} />
      </>
    ),
  };
}

async function disputePage(page: Page, faults?: Faults): Promise<View> {
  const dispute_id = page.param('dispute_id');
  const path = `${PATH}/${dispute_id}`;
  const { value: dispute } = await page.call('getDispute', {
    params: { dispute_id },
    query: {
      account_id: page.query('account_id'),
      before_sequence: page.query('before_sequence'),
    },
  });
  const is_open = dispute.resolved_at === null;
  return {
    title: reasonIn(dispute),
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={{ answered: 'Your answer is kept. The network decides by it.' }} />
        <p>
          <Status of={dispute} /> {is_open && 'Due '}
          <Due of={dispute} />
        </p>
        <div class="columns">
          <div>
            <Claim of={dispute} />
            <section class="card" aria-labelledby="answer">
              <h2 id="answer">Your answer</h2>
              <Answers
                of={dispute.answers}
                none={
                  is_open
                    ? 'Look at your ledger, then say what you found.'
                    : 'It was decided without an answer of yours.'
                }
              />
              {is_open && page.may('disputes.respond') && (
                <AnswerForm page={page} of={dispute} faults={faults} />
              )}
              {is_open && !page.may('disputes.respond') && (
                <p class="soft">Answering takes the permission disputes.respond.</p>
              )}
            </section>
            <section class="card" aria-labelledby="steps">
              <h2 id="steps">What has happened</h2>
              <Steps of={dispute} />
            </section>
          </div>
          <Contested
            page={page}
            path={path}
            of={dispute.record}
            event_id={dispute.credit_event_id}
          />
        </div>
      </>
    ),
  };
}

const AnswerForm = ({ page, of, faults }: { page: Page; of: Case; faults: Faults | undefined }) => {
  const { form } = page;
  const filed = [...(of.record?.contested_events ?? []), ...(of.record?.events ?? [])].filter(
    ({ by_network, event_type, id }, index, all) =>
      event_type === 'CORRECTION' &&
      !by_network &&
      all.findIndex((other) => other.id === id) === index,
  );
  const is_again = of.answers.length > 0;
  return (
    <details open={faults !== undefined || !is_again || form.text('act') === 'change'}>
      <summary>{is_again ? 'Answer again' : 'Answer'}</summary>
      <Form page={page} faults={faults} labels={{ text: 'What you found' }}>
        <Choices
          type="radio"
          name="verdict"
          legend="Your verdict"
          faults={faults}
          chosen={[form.text('verdict')]}
          choices={Object.entries(VERDICTS).map(([value, hint]) => ({
            value,
            label: words(value),
            hint,
          }))}
        />
        {filed.length > 0 ? (
          <Choices
            type="checkbox"
            name="correction_event_ids"
            legend="If you corrected it: by which events"
            faults={faults}
            chosen={form.all('correction_event_ids')}
            choices={filed.slice(0, 20).map(({ id, sequence, correction_reason }) => ({
              value: id,
              label: `Event ${sequence}`,
              hint: correction_reason ?? '',
            }))}
          />
        ) : (
          <p class="soft">
            If the record is wrong, report a correction of it first: it then stands here to be
            named.
          </p>
        )}
        <Field
          name="text"
          label="What you found"
          hint="What you looked at, and what it shows. Administrators of the network read it, and nobody else."
          rows={5}
          required
          maxlength={5_000}
          value={form.text('text')}
          faults={faults}
        />
        <Submit name="act" value="preview">
          Look at it before it is sent
        </Submit>
      </Form>
    </details>
  );
};

interface Draft {
  readonly verdict: string;
  readonly text: string;
  readonly correction_event_ids: readonly string[];
}

/** What will be kept, and for whom; asked once. */
function confirmPage(page: Page, draft: Draft): View {
  return {
    title: 'Send this answer?',
    body: (
      <>
        <section class="card">
          <h2>{words(draft.verdict)}</h2>
          <p>{VERDICTS[draft.verdict]}</p>
          <p class="text">{draft.text}</p>
          {draft.correction_event_ids.length > 0 && (
            <ul>
              {draft.correction_event_ids.map((id) => (
                <li>
                  <code>{id}</code>
                </li>
              ))}
            </ul>
          )}
        </section>
        <Notice>
          <ul>
            <li>The network’s administrators read it beside the record, and decide.</li>
            <li>It changes neither the record nor the dispute. You can answer again until then.</li>
            <li>It stays in your audit log with your name.</li>
          </ul>
        </Notice>
        <Form page={page}>
          <input type="hidden" name="verdict" value={draft.verdict} />
          <input type="hidden" name="text" value={draft.text} />
          {draft.correction_event_ids.map((id) => (
            <input type="hidden" name="correction_event_ids" value={id} />
          ))}
          <input type="hidden" name="idempotency_key" value={randomUUID()} />
          <div class="row">
            <Submit name="act" value="send">
              Send the answer
            </Submit>
            <Submit quiet name="act" value="change">
              Change it
            </Submit>
          </div>
        </Form>
      </>
    ),
  };
}
