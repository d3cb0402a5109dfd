import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import {
  Badge,
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
import { ConsentField, PurposeField } from '../purpose';
import { momentTyped } from '../record';
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
      // Who types slowly is no fault on the way to the second character.
      status: faults === undefined || page.is_part ? 200 : 422,
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
    const query = {
      purpose: form.text('purpose'),
      as_of: momentTyped(form.given('as_of')),
      known_at: momentTyped(form.given('known_at')),
    };
    const why = { ...query, consent_reference: form.given('consent_reference') };
    const outcome = await attempt(() => page.call('getCreditProfile', { params, query: why }));
    if ('faults' in outcome) return whyPage(page, outcome.faults);
    return profilePage(page, outcome.done.value, query);
  },
};

async function whyPage(page: Page, faults?: Faults): Promise<View> {
  const params = { subject_id: page.param('subject_id') };
  const { value: subject } = await page.call('getSubject', { params });
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
          <PurposeField page={page} faults={faults} />
          <ConsentField page={page} faults={faults} />
          <details
            class="field"
            open={['as_of', 'known_at'].some(
              (name) => faults?.by_field.has(name) || page.form.given(name) !== undefined,
            )}
          >
            <summary>At a past time</summary>
            <Field
              name="as_of"
              label="As it stood on, in UTC"
              hint="With what had happened by then."
              type="datetime-local"
              value={page.form.text('as_of')}
              faults={faults}
            />
            <Field
              name="known_at"
              label="As it was known on, in UTC"
              hint="With what was on record by then: what you were told, had you asked."
              type="datetime-local"
              value={page.form.text('known_at')}
              faults={faults}
            />
          </details>
          <Submit>Show the profile</Submit>
        </Form>
        <Ways page={page} subject_id={subject.id} />
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

/** What else there is about a subject. */
const Ways = ({ page, subject_id }: { page: Page; subject_id: string }) => {
  const here = `/subjects/${subject_id}`;
  const ways = [
    ['How the score moved', `${here}/history`, true],
    ['What if', `${here}/simulate`, true],
    ['Ask for a report', `${here}/report`, page.may('reports.request')],
  ] as const;
  return (
    <>
      <h2 class="no-print">More about them</h2>
      <ul class="no-print">
        {ways.map(
          ([name, path, may]) =>
            may && (
              <li>
                <a href={page.href(path)}>{name}</a>
              </li>
            ),
        )}
        {page.may('records.read') && (
          <li>
            <a href={page.href('/accounts', { subject_id })}>Your accounts with them</a>
          </li>
        )}
        <li>
          <a href={page.href('/inquiries', { subject_id })}>Your inquiries about them</a>
        </li>
        <li>
          <a href={page.href('/reports', { subject_id })}>Your reports on them</a>
        </li>
      </ul>
    </>
  );
};

interface Looked {
  readonly purpose: string;
  readonly as_of: string | undefined;
  readonly known_at: string | undefined;
}

/** Of which time a profile speaks. */
const Moment = ({ of: { as_of, known_at } }: { of: Looked }) => {
  if (as_of === undefined && known_at === undefined) return null;
  return (
    <Notice>
      <p>
        <strong>Of a past time:</strong> as it stood on <Time at={as_of ?? known_at} />, as it was
        known on <Time at={known_at ?? as_of} />.
      </p>
    </Notice>
  );
};

/** What the person warns of: before anything that one could decide by. */
const Alerts = ({ of }: { of: Profile['alerts'] }) => (
  <>
    {of.map(({ kind, placed_at, ends_at, instruction }) => (
      <Notice kind="bad">
        <p>
          <strong>{words(kind)} alert.</strong> {instruction}
        </p>
        <p class="soft">
          Placed by the person on <Time at={placed_at} day />, until <Time at={ends_at} day />.
        </p>
      </Notice>
    ))}
  </>
);

/** The person's own words. */
const Statements = ({ of }: { of: Profile['statements'] }) =>
  of.length === 0 ? null : (
    <>
      <h2>What the person says</h2>
      <ol class="answers">
        {of.map(({ record_kind, record_id, text, set_at }) => (
          <li>
            <p>
              {record_id === null ? (
                `About an ${words(record_kind).toLowerCase()} of another institution`
              ) : (
                <>
                  About your {words(record_kind).toLowerCase()} <Id of={record_id} />
                </>
              )}{' '}
              <span class="soft">
                <Time at={set_at} day />
              </span>
            </p>
            <p class="text">{text}</p>
          </li>
        ))}
      </ol>
    </>
  );

function profilePage(page: Page, profile: Profile, looked: Looked): View {
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
          {words(looked.purpose)}, recorded as inquiry <Id of={profile.inquiry_id} /> at{' '}
          <Time at={credit.calculated_at} />
        </p>
        <Moment of={looked} />
        <Alerts of={profile.alerts} />
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
        <Statements of={profile.statements} />
        <h2>Payments of 24 months</h2>
        <PaymentGrid
          grid={history.payment_grid}
          until={looked.as_of ?? looked.known_at ?? credit.calculated_at}
        />
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
        {page.may('reports.request') &&
          looked.as_of === undefined &&
          looked.known_at === undefined && (
            <section class="no-print">
              <h2>If you refuse</h2>
              <p>
                Whom you refuse for what stands here, you owe a notice: the score, what cost it
                most, and where to turn to.
              </p>
              <Form page={page} action={page.href(`/inquiries/${profile.inquiry_id}/notice`)}>
                <input type="hidden" name="model_version" value={credit.model_version} />
                <Submit quiet>Print the notice</Submit>
              </Form>
            </section>
          )}
        <p class="soft no-print">
          The score is no instruction to approve or refuse. To look again is another inquiry:{' '}
          <a href={page.href(`/subjects/${subject.id}`)}>start anew</a>.
        </p>
        <Ways page={page} subject_id={subject.id} />
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
