import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import { Done, Field, Form, Notice, Submit, Time, TokenField } from '../components';
import type { View, Visit } from '../page';
import type { PersonScreen } from './screen';
import { MY, type PersonVisit } from './visit';

/** Where a person says where it wants to be told. */
export const CONTACT = `${MY}/contact`;
/** Where a mailed link leads, whoever opens it. */
export const CONFIRM = `${MY}/confirm`;

const DONE = {
  asked: 'Look into your mail: the link there confirms the address. It is good for 24 hours.',
  removed: 'Your address is erased.',
};

type Contact = WireOf<Operations['getMyContact']>;

/** Being told by mail of what happens to the file. */
export const contactScreen: PersonScreen = {
  path: CONTACT,
  show: (visit) => contactPage(visit),
  submit: async (visit) => {
    const { form } = visit;
    const act = form.text('act') === 'removed' ? 'removed' : 'asked';
    const outcome = await attempt<unknown>(() =>
      act === 'removed'
        ? visit.call('removeMyContact')
        : visit.call('setMyContact', { body: { email: form.text('email').trim() } }),
    );
    if ('faults' in outcome) return contactPage(visit, outcome.faults);
    return { location: visit.href(CONTACT, { done: act }) };
  },
};

async function contactPage(visit: PersonVisit, faults?: Faults): Promise<View> {
  const { value } = await visit.call('getMyContact');
  const is_any = value.email !== null || value.waiting_email !== null;
  return {
    title: 'Mails about your file',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={visit} says={DONE} />
        <p>
          A mail tells you when a lender looks at your file for a credit, and when something in it
          is corrected: who and what for, and nothing of your score. One an hour at most. No lender
          is shown the address.
        </p>
        <Told of={value} />
        <Form page={visit} faults={faults}>
          <Field
            name="email"
            label="Address"
            type="email"
            required
            hint="A link comes there to confirm it: three a day at most."
            value={visit.form.text('email')}
            faults={faults}
          />
          <div class="row">
            <Submit>{value.email === null ? 'Tell me there' : 'Tell me there instead'}</Submit>
            <a href={MY}>Back to your file</a>
          </div>
        </Form>
        {is_any && (
          <Form page={visit}>
            <input type="hidden" name="act" value="removed" />
            <Submit quiet>Erase my address</Submit>
          </Form>
        )}
      </>
    ),
  };
}

const Told = ({ of }: { of: Contact }) => (
  <>
    {of.email !== null && of.confirmed_at !== null && (
      <p>
        You are told at <strong>{of.email}</strong>, confirmed <Time at={of.confirmed_at} />.
      </p>
    )}
    {of.waiting_email !== null && of.waiting_until !== null && (
      <Notice>
        <p>
          <strong>{of.waiting_email}</strong> waits to be confirmed, until{' '}
          <Time at={of.waiting_until} />: nothing is told there before.
        </p>
      </Notice>
    )}
    {of.email === null && of.waiting_email === null && <p>You are told nothing by mail.</p>}
  </>
);

/** Takes the token of a mailed link out of the fragment, by a script or by hand. */
export function confirmPage(visit: Visit, faults?: Faults): View {
  return {
    title: 'Confirm your address',
    status: faults === undefined ? 200 : 422,
    body: (
      <Form page={visit} action={CONFIRM} faults={faults} labels={{ token: 'Token' }}>
        <TokenField
          page={visit}
          label="From your mail"
          hint="It is in the link, after “token=”."
          faults={faults}
        />
        <Submit>Confirm it</Submit>
      </Form>
    ),
  };
}

/** Confirms an address with the token of a mailed link. */
export async function confirm(visit: Visit): Promise<View> {
  const body = { token: visit.form.text('token').trim() };
  const outcome = await attempt(() => visit.call('confirmMyContact', { body }));
  if ('faults' in outcome) return confirmPage(visit, outcome.faults);
  return {
    title: 'Your address is confirmed',
    body: (
      <Notice kind="good">
        <p>From now on you are told there. What happened before, your file shows.</p>
        <p>
          <a href={MY}>Your file</a>
        </p>
      </Notice>
    ),
  };
}
