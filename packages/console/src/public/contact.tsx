import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Submit } from '../components';
import type { View, Visit } from '../page';
import type { VisitorScreen } from '../screen';

/** Writing to the people who run the network. */
export const contactScreen: VisitorScreen = {
  path: '/contact',
  show: async (visit) => contactPage(visit),
  submit: async (visit) => {
    const { form } = visit;
    const email = form.text('email').trim();
    const body = {
      name: form.text('name').trim(),
      email,
      subject: form.given('subject'),
      message: form.text('message').trim(),
    };
    const outcome = await attempt(() => visit.call('submitContactRequest', { body }));
    if ('faults' in outcome) return contactPage(visit, outcome.faults);
    return {
      title: 'Your message is in',
      body: (
        <Notice kind="good" live>
          <p>Whoever answers writes to {email}.</p>
        </Notice>
      ),
    };
  },
};

function contactPage(visit: Visit, faults?: Faults): View {
  const { form } = visit;
  return {
    title: 'Contact',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          Is an entry about you wrong? <a href="/dispute">Dispute it</a> instead: that is looked at
          by a date, and what you say of it stays with it.
        </p>
        <Form page={visit} faults={faults}>
          <Field
            name="name"
            label="Your name"
            required
            autocomplete="name"
            value={form.text('name')}
            faults={faults}
          />
          <Field
            name="email"
            label="Your e-mail address"
            type="email"
            required
            autocomplete="email"
            value={form.text('email')}
            faults={faults}
          />
          <Field name="subject" label="About" value={form.text('subject')} faults={faults} />
          <Field
            name="message"
            label="Message"
            required
            rows={6}
            value={form.text('message')}
            faults={faults}
          />
          <Submit>Send</Submit>
        </Form>
      </>
    ),
  };
}
