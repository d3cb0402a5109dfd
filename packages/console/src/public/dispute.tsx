import type { Operations, WireOf } from '@credit/contract';
import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Select, Submit, Time } from '../components';
import type { View, Visit } from '../page';
import type { VisitorScreen } from '../screen';
import { FOLLOW } from './follow';
import { PUBLIC_REASONS } from './reasons';

type Opened = WireOf<Operations['openDispute']>;

/** Of more members than these, nobody finds one in a list. */
const MOST_CHOICES = 100;

const LABELS = {
  reason: 'What is wrong',
  description: 'What happened',
  reported_institution_id: 'Who reported it',
  subject_id: 'The number of your file',
  credit_event_id: 'The number of the entry',
  opened_by: 'Your name',
  contact_email: 'Your e-mail address',
  evidence_links: 'Links to what proves it',
};

/** Contesting an entry: without an account, and without knowing ids where that can be spared. */
export const disputeScreen: VisitorScreen = {
  path: '/dispute',
  show: (visit) => disputePage(visit),
  submit: async (visit) => {
    const { form } = visit;
    const body = {
      subject_id: form.given('subject_id'),
      credit_event_id: form.given('credit_event_id'),
      reported_institution_id: form.given('reported_institution_id'),
      opened_by: form.text('opened_by').trim(),
      contact_email: form.text('contact_email').trim() || undefined,
      reason: form.given('reason'),
      description: form.text('description').trim(),
      evidence_links: form.text('evidence_links').split(/\s+/).filter(Boolean),
    };
    const outcome = await attempt(() => visit.call('openDispute', { body }));
    if ('faults' in outcome) return disputePage(visit, outcome.faults);
    return receipt(outcome.done.value, body.contact_email);
  },
};

function receipt({ id, access_token, due_at }: Opened, contact_email?: string): View {
  const link = `${FOLLOW}#${new URLSearchParams({ dispute_id: id, token: access_token })}`;
  return {
    title: 'Your dispute is in',
    body: (
      <>
        <Notice kind="good" live>
          <p>
            A decision is due by <Time at={due_at} day />. What you contest says so until then to
            everybody who reads it.
          </p>
        </Notice>
        {contact_email !== undefined && (
          <p>
            Where the network sends mail, {contact_email} is told of it, with a link of its own. At
            most three disputes a day are told of to one address.
          </p>
        )}
        <h2>Keep this</h2>
        <p>
          The link below opens your dispute, for you and for anybody who has it. It is shown this
          once: keep it, or print this page.
        </p>
        <p class="row">
          <a class="button" href={link}>
            Your dispute
          </a>
          <button type="button" class="quiet" data-copy={link} hidden>
            Copy the link
          </button>
        </p>
        <h3>Number</h3>
        <code class="secret">{id}</code>
        <h3>Token</h3>
        <code class="secret">{access_token}</code>
      </>
    ),
  };
}

/** Filled in by the address of the page, too: a notice of refusal can lead to its entry. */
async function disputePage(visit: Visit, faults?: Faults): Promise<View> {
  const { form } = visit;
  const members = await visit.call('listMemberInstitutions', {
    query: { limit: `${MOST_CHOICES}` },
  });
  const given = (name: string) => form.given(name) ?? visit.query(name);
  const institution = given('reported_institution_id');
  const is_listed = institution === undefined || members.value.some(({ id }) => id === institution);
  return {
    title: 'Dispute an entry',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          Say what is wrong, and why. The lender that reported it and the network look at it; a
          decision is due within 30 days. It costs nothing.
        </p>
        <Form page={visit} faults={faults} labels={LABELS}>
          <Select
            name="reason"
            label={LABELS.reason}
            choices={[{ value: '', label: 'Please choose' }, ...PUBLIC_REASONS]}
            value={form.text('reason')}
            faults={faults}
          />
          <Field
            name="description"
            label={LABELS.description}
            required
            rows={7}
            hint="What it says, what it should say, and how you know. At least 20 characters."
            value={form.text('description')}
            faults={faults}
          />
          {members.next_cursor === undefined && is_listed ? (
            <Select
              name="reported_institution_id"
              label={LABELS.reported_institution_id}
              choices={[
                { value: '', label: 'I do not know' },
                ...members.value.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={institution}
              faults={faults}
            />
          ) : (
            <Field
              name="reported_institution_id"
              label={LABELS.reported_institution_id}
              hint="The number of the institution, as a report or a notice of refusal has it."
              value={institution}
              faults={faults}
            />
          )}
          <Field
            name="subject_id"
            label={LABELS.subject_id}
            hint="As a report or a notice of refusal has it."
            value={given('subject_id')}
            faults={faults}
          />
          <Field
            name="credit_event_id"
            label={LABELS.credit_event_id}
            hint="The more exactly you name it, the sooner it is found. At least one of the lender, the file and the entry is needed."
            value={given('credit_event_id')}
            faults={faults}
          />
          <Field
            name="opened_by"
            label={LABELS.opened_by}
            required
            autocomplete="name"
            hint="A name, and how to reach you if we have to ask. The lender sees it."
            value={form.text('opened_by')}
            faults={faults}
          />
          <Field
            name="contact_email"
            label={LABELS.contact_email}
            type="email"
            autocomplete="email"
            hint="Where the network sends mail, one tells you that the dispute is in and one how it was decided. Only its administrators see the address, and it is deleted 90 days after the decision."
            value={form.text('contact_email')}
            faults={faults}
          />
          <Field
            name="evidence_links"
            label={LABELS.evidence_links}
            rows={2}
            hint="One on each line, up to ten."
            value={form.text('evidence_links')}
            faults={faults}
          />
          <Submit>Send the dispute</Submit>
        </Form>
      </>
    ),
  };
}
