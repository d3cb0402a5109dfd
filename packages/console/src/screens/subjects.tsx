import { meaningsOf, type Operations, type WireOf } from '@credit/contract';
import { Purpose } from '@credit/proto/reporting/v1/types';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
  Choices,
  count,
  Facts,
  FaultSummary,
  Field,
  Form,
  Id,
  money,
  Notice,
  Pager,
  Submit,
  Table,
  Time,
  type Tone,
} from '../components';
import type { Page, View } from '../page';
import { Bar, Gauge, PaymentGrid } from '../pictures';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

type Subject = WireOf<Operations['getSubject']>;
type Profile = WireOf<Operations['getCreditProfile']>;

/** Finding whom one deals with. */
export const subjectsScreen: Screen = {
  path: '/subjects',
  place: { section: 'Record', label: 'Find a subject' },
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: async (page) => {
    const [q, cursor] = [page.query('q'), page.query('cursor')];
    const outcome =
      q === undefined
        ? undefined
        : await attempt(() => page.call('searchSubjects', { query: { q, limit: '25', cursor } }));
    const faults = outcome && 'faults' in outcome ? outcome.faults : undefined;
    const found = outcome && 'done' in outcome ? outcome.done : undefined;
    return {
      title: 'Find a subject',
      status: faults === undefined ? 200 : 422,
      body: (
        <>
          <search>
            {/* As one types; without scripts, by the button. */}
            <form
              method="get"
              class="row"
              hx-get={page.href('/subjects')}
              hx-trigger="input changed delay:300ms from:#q"
              hx-target="#found"
              hx-select="#found"
              hx-swap="outerHTML"
              hx-push-url="true"
            >
              <Field
                name="q"
                label="Name, username or forum id"
                type="search"
                value={q}
                hint="Two characters or more. Searching is no inquiry."
                faults={faults}
              />
              <Submit>Search</Submit>
            </form>
          </search>
          {faults && <FaultSummary faults={faults} page={page} />}
          <div id="found">
            {found && (
              <>
                <Table
                  caption="Subjects found"
                  rows={found.value}
                  empty="Nobody by that name is on file."
                  columns={[
                    {
                      name: 'Name',
                      cell: ({ id, display_name }) => (
                        <a href={page.href(`/subjects/${id}`)}>{display_name}</a>
                      ),
                    },
                    { name: 'Kind', cell: ({ type }) => words(type) },
                    {
                      name: 'Identified by',
                      cell: ({ game_uuid, registration_number }) =>
                        game_uuid !== null ? <Id of={game_uuid} /> : (registration_number ?? '–'),
                    },
                    {
                      name: 'On file since',
                      cell: ({ created_at }) => <Time at={created_at} day />,
                    },
                  ]}
                />
                <Pager page={page} path="/subjects" next={found.next_cursor} query={{ q }} />
              </>
            )}
          </div>
        </>
      ),
    };
  },
};

/** A subject: first why one looks, then the profile. Looking is a form, as it leaves an inquiry. */
export const subjectScreen: Screen = {
  path: '/subjects/:subject_id',
  isFor: withPermission('credit.read'),
  by_environment: true,
  show: (page) => whyPage(page),
  submit: async (page) => {
    const { form } = page;
    const params = { subject_id: page.param('subject_id') };
    const query = { purpose: form.text('purpose') };
    const outcome = await attempt(() => page.call('getCreditProfile', { params, query }));
    if ('faults' in outcome) return whyPage(page, outcome.faults);
    return profilePage(page, outcome.done.value, query.purpose);
  },
};

async function whyPage(page: Page, faults?: Faults): Promise<View> {
  const params = { subject_id: page.param('subject_id') };
  const { value: subject } = await page.call('getSubject', { params });
  const purposes = meaningsOf(Purpose)?.values ?? {};
  return {
    title: subject.display_name,
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <SubjectFacts of={subject} />
        <h2>Why do you look?</h2>
        <Notice>
          <p>
            Each look is recorded with your name, and the subject may see it. A{' '}
            <strong>hard</strong> inquiry counts in the score for 12 months: look so only when
            credit is asked for.
          </p>
        </Notice>
        <Form page={page} faults={faults}>
          <Choices
            type="radio"
            name="purpose"
            legend="Purpose"
            choices={Object.entries(purposes).map(([value, hint]) => ({
              value,
              label: words(value),
              hint,
            }))}
            chosen={[page.form.text('purpose')]}
            faults={faults}
          />
          <Submit>Show the profile</Submit>
        </Form>
      </>
    ),
  };
}

const SubjectFacts = ({ of }: { of: Subject }) => (
  <Facts
    of={[
      ['Kind', words(of.type)],
      ['Network id', <Id of={of.id} />],
      ...(of.game_uuid === null ? [] : [['Game id', <Id of={of.game_uuid} />] as const]),
      ...(of.registration_number === null
        ? []
        : [['Registration number', of.registration_number] as const]),
      ['On file since', <Time at={of.created_at} day />],
    ]}
  />
);

const LEVELS: Readonly<Record<string, Tone>> = {
  LOW: 'good',
  MODERATE: 'warn',
  ELEVATED: 'warn',
  HIGH: 'bad',
  SEVERE: 'bad',
};

function profilePage(page: Page, profile: Profile, purpose: string): View {
  const { subject, credit, risk, history, reason_codes } = profile;
  const [lost, helped] = [
    reason_codes.filter(({ direction }) => direction === 'NEGATIVE'),
    reason_codes.filter(({ direction }) => direction === 'POSITIVE'),
  ];
  return {
    title: subject.display_name,
    body: (
      <>
        <p class="soft">
          {words(purpose)}, recorded as inquiry <Id of={profile.inquiry_id} /> at{' '}
          <Time at={credit.calculated_at} />
        </p>
        <div class="columns">
          <section class="card">
            <h2>Score</h2>
            <Gauge
              score={credit.score ?? undefined}
              min={credit.score_range.min}
              max={credit.score_range.max}
              band={words(credit.band)}
            />
            <Facts
              of={[
                ['Grade', credit.grade ?? '–'],
                ['Confidence', words(credit.confidence)],
                ['Model', credit.model_version],
              ]}
            />
          </section>
          <section class="card">
            <h2>Risk</h2>
            <p>
              <Badge tone={LEVELS[risk.level] ?? 'plain'}>{words(risk.level)}</Badge>
            </p>
            <Facts
              of={[
                ['Worst standing now', words(risk.worst_current_status ?? 'none')],
                ['Days past due', count(risk.max_days_past_due)],
                ['Active defaults', count(risk.active_defaults)],
                ['Open disputes', risk.open_dispute_count ?? '–'],
                ['Disputed accounts', count(risk.disputed_account_count)],
                ['Caps', risk.caps_applied.map(words).join(', ') || 'None'],
              ]}
            />
          </section>
        </div>
        <h2>What it is made of</h2>
        <Table
          caption="Factors"
          rows={credit.factors}
          empty="Not rated: there is too little on file."
          columns={[
            { name: 'Factor', cell: ({ name }) => words(name) },
            {
              name: 'Points',
              cell: ({ name, points, max }) => <Bar name={words(name)} value={points} max={max} />,
            },
          ]}
        />
        <div class="columns">
          <section>
            <h2>What costs points</h2>
            <Reasons of={lost} none="Nothing does." />
          </section>
          <section>
            <h2>What helps</h2>
            <Reasons of={helped} none="Nothing stands out." />
          </section>
        </div>
        <h2>Payments of 24 months</h2>
        <PaymentGrid grid={history.payment_grid} until={credit.calculated_at} />
        <Facts
          of={[
            ['In time', count(history.on_time_24m)],
            ['Late', count(history.late_24m)],
            ['Oldest account', `${count(history.oldest_account_months)} months`],
            ['Hard inquiries, 12 months', count(history.hard_inquiries_12m)],
            ['Institutions', count(history.institution_count)],
          ]}
        />
        <div class="columns">
          <Table
            caption="Accounts by standing"
            rows={history.accounts_by_status}
            empty="No accounts."
            columns={[
              { name: 'Standing', cell: ({ status }) => words(status) },
              { name: 'Accounts', number: true, cell: (row) => count(row.count) },
            ]}
          />
          <Table
            caption="Balances by currency"
            rows={history.totals}
            empty="No balances."
            columns={[
              { name: 'Currency', cell: ({ currency }) => currency },
              {
                name: 'Balance',
                number: true,
                cell: ({ balance, currency }) => money(balance, currency),
              },
              {
                name: 'Limit',
                number: true,
                cell: ({ limit, currency }) => money(limit, currency),
              },
            ]}
          />
        </div>
        <p class="soft no-print">
          The score is no instruction to approve or refuse. To look again is another inquiry:{' '}
          <a href={page.href(`/subjects/${subject.id}`)}>start anew</a>.
        </p>
      </>
    ),
  };
}

const Reasons = ({ of, none }: { of: Profile['reason_codes']; none: string }) =>
  of.length === 0 ? (
    <p class="soft">{none}</p>
  ) : (
    <ul>
      {of.map(({ code, text, points_lost }) => (
        <li>
          {text} <code>{code}</code>
          {points_lost > 0 && <span class="soft"> {count(points_lost)} points</span>}
        </li>
      ))}
    </ul>
  );
