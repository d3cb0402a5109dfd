import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import { type Choice, Done, Field, Form, Notice, Select, Submit, Table, Time } from '../components';
import type { View } from '../page';
import { momentTyped } from '../record';
import { words } from '../words';
import type { PersonScreen } from './screen';
import { MY, type PersonVisit } from './visit';

/** Where a file is guarded. */
export const FREEZE = `${MY}/freeze`;

const DONE = {
  frozen: 'Your file is frozen from this moment on.',
  lifted: 'The freeze is over: your file is shown again to whoever has a purpose.',
  opened: 'The file is open as you said.',
  closed: 'The file is closed to them again.',
  warned: 'Readers are warned for a year from now on.',
  unwarned: 'The alert is over.',
};
type Act = keyof typeof DONE;

type Freeze = WireOf<Operations['getMyFreeze']>;
/** Of more members than these, nobody finds one in a list. */
const MOST_CHOICES = 100;
const EVERYBODY = '';

/** Freezing the file, opening it to somebody, and warning its readers. */
export const freezeScreen: PersonScreen = {
  path: FREEZE,
  show: (visit) => freezePage(visit),
  submit: async (visit) => {
    const act = visit.form.text('act') as Act;
    const outcome = await attempt(() => carryOut(visit, act));
    if ('faults' in outcome) return freezePage(visit, outcome.faults);
    return { location: visit.href(FREEZE, { done: act }) };
  },
};

async function carryOut(visit: PersonVisit, act: Act): Promise<unknown> {
  switch (act) {
    case 'lifted':
      return visit.call('liftMyFreeze');
    case 'opened': {
      const body = {
        institution_id: visit.form.given('institution_id'),
        ends_at: momentTyped(visit.form.given('ends_at')),
      };
      return visit.call('placeMyThaw', { body });
    }
    case 'closed':
      return visit.call('withdrawMyThaw', { params: { thaw_id: visit.form.text('id') } });
    case 'warned':
      return visit.call('placeMyAlert', { body: { kind: 'FRAUD' } });
    case 'unwarned':
      return visit.call('removeMyAlert', { params: { alert_id: visit.form.text('id') } });
    default:
      // Whatever else a form says, the safe side.
      return visit.call('placeMyFreeze');
  }
}

async function freezePage(visit: PersonVisit, faults?: Faults): Promise<View> {
  const [freeze, alerts, members] = await Promise.all([
    visit.call('getMyFreeze'),
    visit.call('listMyAlerts'),
    visit.call('listMemberInstitutions', { query: { limit: String(MOST_CHOICES) } }),
  ]);
  const names = new Map(members.value.map(({ id, name }) => [id, name]));
  const named = (id: string | null) =>
    id === null ? 'Everybody' : (names.get(id) ?? <code>{id}</code>);
  const { frozen_since, thaws, refused_inquiries } = freeze.value;
  return {
    title: 'Freeze and alerts',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={visit} says={DONE} />
        {faults !== undefined && (
          <Notice kind="bad" alert>
            <p>{faults.error.message}</p>
          </Notice>
        )}
        {frozen_since === null ? (
          <Unfrozen visit={visit} />
        ) : (
          <Frozen visit={visit} freeze={freeze.value} named={named} faults={faults} names={names} />
        )}
        {refused_inquiries.length > 0 && (
          <>
            <h2>Whom the freeze turned away</h2>
            <Table
              caption="Whom the freeze turned away in two years"
              rows={refused_inquiries}
              empty=""
              columns={[
                { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Who', cell: ({ institution_id }) => named(institution_id) },
                { name: 'What for', cell: ({ purpose }) => words(purpose) },
              ]}
            />
          </>
        )}
        <h2>Alert</h2>
        <p>
          For a year every profile and report says that somebody may be borrowing in your name, and
          that whoever applies has to show who they are. It moves no score.
        </p>
        {alerts.value.map(({ id, placed_at, ends_at }) => (
          <Form page={visit} class="row">
            <input type="hidden" name="act" value="unwarned" />
            <input type="hidden" name="id" value={id} />
            <p>
              Readers are warned since <Time at={placed_at} day />, until <Time at={ends_at} day />.
            </p>
            <Submit quiet>End the alert</Submit>
          </Form>
        ))}
        {alerts.value.length === 0 && (
          <Form page={visit}>
            <input type="hidden" name="act" value="warned" />
            <Submit quiet>Warn readers of fraud</Submit>
          </Form>
        )}
        <p class="soft">{thaws.length > 0 && 'An end of the freeze ends these openings too.'}</p>
      </>
    ),
  };
}

const Unfrozen = ({ visit }: { visit: PersonVisit }) => (
  <>
    <p>
      Your file is not frozen. Frozen, it is shown to nobody for new business: no new credit can be
      had in your name by whoever asks for it. Lenders go on reviewing and collecting the accounts
      that there are. It costs nothing, moves no score, and nobody is told but who is turned away.
    </p>
    <Form page={visit}>
      <input type="hidden" name="act" value="frozen" />
      <Submit>Freeze my file</Submit>
    </Form>
  </>
);

const Frozen = ({
  visit,
  freeze: { frozen_since, thaws },
  named,
  names,
  faults,
}: {
  visit: PersonVisit;
  freeze: Freeze;
  named: (id: string | null) => unknown;
  names: ReadonlyMap<string, string>;
  faults: Faults | undefined;
}) => {
  const choices: Choice[] = [
    { value: EVERYBODY, label: 'Everybody' },
    ...[...names].map(([value, label]) => ({ value, label })),
  ];
  return (
    <>
      <p>
        Your file is frozen since <Time at={frozen_since} />.
      </p>
      <h2>Open it for a decision</h2>
      <p>Before you ask for credit: to the lender who is to decide, for a time, or both.</p>
      {thaws.map(({ id, institution_id, starts_at, ends_at }) => (
        <Form page={visit} class="row">
          <input type="hidden" name="act" value="closed" />
          <input type="hidden" name="id" value={id} />
          <p>
            Open to {named(institution_id) as never} from <Time at={starts_at} />
            {ends_at === null ? ' until you close it' : ' until '}
            {ends_at !== null && <Time at={ends_at} />}.
          </p>
          <Submit quiet>Close it</Submit>
        </Form>
      ))}
      <Form page={visit} faults={faults}>
        <input type="hidden" name="act" value="opened" />
        <Select
          name="institution_id"
          label="To whom"
          choices={choices}
          value={visit.form.text('institution_id')}
          faults={faults}
        />
        <Field
          name="ends_at"
          label="Until"
          type="date"
          hint="Required when it is for everybody; to one lender it is open until you close it."
          value={visit.form.text('ends_at')}
          faults={faults}
        />
        <Submit>Open it</Submit>
      </Form>
      <h2>End the freeze</h2>
      <Form page={visit}>
        <input type="hidden" name="act" value="lifted" />
        <Submit danger>End the freeze for good</Submit>
      </Form>
    </>
  );
};
