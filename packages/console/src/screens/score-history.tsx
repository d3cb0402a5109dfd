import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import { Badge, count, Form, Notice, Pager, Submit, Table, Time, type Tone } from '../components';
import type { Page, View } from '../page';
import { ScoreLine } from '../pictures';
import { ConsentField, PurposeField } from '../purpose';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

type Snapshot = WireOf<Operations['listSnapshots']>[number];

const TRIGGERS: Readonly<Record<string, string>> = {
  EVENT: 'An event was reported',
  INQUIRY: 'Somebody looked for credit',
  AGEING: 'Time passed',
  MODEL: 'The model was replaced',
};

/** How a subject's score moved, and by what. */
export const scoreHistoryScreen: Screen = {
  path: '/subjects/:subject_id/history',
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: async (page) => {
    const params = { subject_id: page.param('subject_id') };
    const query = { limit: '50', cursor: page.query('cursor') };
    const outcome = await attempt(() => page.call('listSnapshots', { params, query }));
    if ('done' in outcome) return historyPage(page, outcome.done.value, outcome.done.next_cursor);
    // Who has neither an account nor looked of late says why first.
    if (outcome.faults.by_field.has('purpose')) return whyPage(page);
    throw outcome.faults.error;
  },
  submit: async (page) => {
    const body = {
      subject_id: page.param('subject_id'),
      purpose: page.form.given('purpose'),
      consent_reference: page.form.given('consent_reference'),
    };
    const outcome = await attempt(() => page.call('recordInquiry', { body }));
    if ('faults' in outcome) return whyPage(page, outcome.faults);
    // Whoever has looked sees the scores of the next 30 days.
    return { location: page.href(`/subjects/${body.subject_id}/history`) };
  },
};

const Back = ({ page, text, to = '' }: { page: Page; text: string; to?: string }) => (
  <p>
    <a href={page.href(`/subjects/${page.param('subject_id')}${to}`)}>{text}</a>
  </p>
);

function whyPage(page: Page, faults?: Faults): View {
  return {
    title: 'Why do you look?',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Back page={page} text="Back to the subject" />
        <Notice>
          <p>
            You neither report on this subject nor looked at it within 30 days: seeing how its score
            moved is a look, and is recorded.
          </p>
        </Notice>
        <Form page={page} faults={faults}>
          <PurposeField page={page} faults={faults} />
          <ConsentField page={page} faults={faults} />
          <Submit>Show the scores</Submit>
        </Form>
      </>
    ),
  };
}

function historyPage(page: Page, snapshots: readonly Snapshot[], next: string | undefined): View {
  const here = `/subjects/${page.param('subject_id')}/history`;
  const earlier = new Map(snapshots.map((snapshot, index) => [snapshot.id, snapshots[index + 1]]));
  return {
    title: 'How the score moved',
    body: (
      <>
        <Back page={page} text="Back to the subject" />
        <ScoreLine scores={snapshots} />
        <Table
          caption="Scores, the latest first"
          rows={snapshots}
          empty="No score was kept yet: the first comes with the first account."
          columns={[
            { name: 'Since', cell: ({ calculated_at }) => <Time at={calculated_at} /> },
            { name: 'Score', number: true, cell: ({ score }) => score ?? 'Not rated' },
            { name: 'Change', number: true, cell: ({ delta }) => <Change of={delta} /> },
            {
              name: 'What moved it',
              cell: ({ trigger }) => TRIGGERS[trigger.type] ?? words(trigger.type),
            },
            {
              name: 'Reasons that came and went',
              cell: (snapshot) => <Reasons of={snapshot} before={earlier.get(snapshot.id)} />,
            },
            {
              name: '',
              cell: (snapshot) => {
                const before = earlier.get(snapshot.id);
                return before === undefined ? (
                  ''
                ) : (
                  <a href={page.href(`${here}/${before.id}`, { to: snapshot.id })}>
                    Compare
                    <span class="visually-hidden"> with the one before, no. {before.sequence}</span>
                  </a>
                );
              },
            },
          ]}
        />
        <Pager page={page} path={here} next={next} />
      </>
    ),
  };
}

/** By how much, with its sign, and in a colour that is not alone in saying it. */
const Change = ({ of }: { of: number | null }) => {
  if (of === null || of === 0) return <span class="soft">–</span>;
  const tone: Tone = of > 0 ? 'good' : 'bad';
  return <Badge tone={tone}>{of > 0 ? `+${count(of)}` : `−${count(-of)}`}</Badge>;
};

const Reasons = ({ of, before }: { of: Snapshot; before: Snapshot | undefined }) => {
  if (before === undefined) return <span class="soft">–</span>;
  const codes = (snapshot: Snapshot) => new Set(snapshot.reason_codes.map(({ code }) => code));
  const [now, then] = [codes(of), codes(before)];
  const came = of.reason_codes.filter(({ code }) => !then.has(code));
  const went = before.reason_codes.filter(({ code }) => !now.has(code));
  if (came.length === 0 && went.length === 0) return <span class="soft">None</span>;
  return (
    <>
      {came.map(({ text }) => (
        <div>Came: {text}</div>
      ))}
      {went.map(({ text }) => (
        <div class="soft">Went: {text}</div>
      ))}
    </>
  );
};

const ReasonList = ({ title, texts }: { title: string; texts: readonly string[] }) => (
  <section>
    <h2>{title}</h2>
    {texts.length === 0 ? (
      <p class="soft">None.</p>
    ) : (
      <ul>
        {texts.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    )}
  </section>
);

/** Two scores beside each other, and what was recorded in between. */
export const scoreDifferenceScreen: Screen = {
  path: '/subjects/:subject_id/history/:snapshot_id',
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: async (page) => {
    const params = { subject_id: page.param('subject_id'), snapshot_id: page.param('snapshot_id') };
    const { value } = await page.call('diffSnapshots', {
      params,
      query: { to: page.query('to') },
    });
    const { from, to, factors, events, inquiries } = value;
    const texts = new Map(
      [...from.reason_codes, ...to.reason_codes].map(({ code, text }) => [code, text]),
    );
    const named = (codes: readonly string[]) => codes.map((code) => texts.get(code) ?? code);
    return {
      title: `From ${from.score ?? 'not rated'} to ${to.score ?? 'not rated'}`,
      body: (
        <>
          <Back page={page} text="Back to how the score moved" to="/history" />
          <p class="soft">
            From <Time at={from.calculated_at} /> to <Time at={to.calculated_at} />
          </p>
          <Table
            caption="Points by factor"
            rows={factors}
            empty="Neither was rated."
            columns={[
              { name: 'Factor', cell: ({ name }) => words(name) },
              { name: 'Before', number: true, cell: ({ from_points }) => count(from_points) },
              { name: 'After', number: true, cell: ({ to_points }) => count(to_points) },
              { name: 'Change', number: true, cell: ({ delta }) => <Change of={delta} /> },
            ]}
          />
          <div class="columns">
            <ReasonList title="Reasons that came" texts={named(value.reasons_added)} />
            <ReasonList title="Reasons that went" texts={named(value.reasons_removed)} />
          </div>
          <h2>Recorded in between</h2>
          <Table
            caption="Events in between"
            rows={events}
            empty="No event: time or an inquiry moved it."
            columns={[
              { name: 'Recorded', cell: ({ reported_at }) => <Time at={reported_at} /> },
              { name: 'Happened', cell: ({ occurred_at }) => <Time at={occurred_at} day /> },
              { name: 'Event', cell: ({ event_type }) => words(event_type) },
              { name: 'On a', cell: ({ account_type }) => words(account_type) },
              { name: 'Effect', cell: ({ effect }) => words(effect) },
              { name: 'By', cell: ({ own }) => (own ? 'You' : 'Another institution') },
            ]}
          />
          {value.truncated && <p class="soft">There were more events than are shown.</p>}
          {inquiries.length > 0 && (
            <Table
              caption="Hard inquiries in between"
              rows={inquiries}
              empty=""
              columns={[
                { name: 'Looked', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Purpose', cell: ({ purpose }) => words(purpose) },
                {
                  name: 'By',
                  cell: ({ inquiry_id }) => (inquiry_id === null ? 'Another institution' : 'You'),
                },
              ]}
            />
          )}
        </>
      ),
    };
  },
};
