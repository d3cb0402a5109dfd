import { attempt, type Faults } from '../attempt';
import { Field, Form, Notice, Submit } from '../components';
import type { View, Visit } from '../page';
import type { VisitorScreen } from '../screen';

/** Asking to become a member. */
export const applyScreen: VisitorScreen = {
  path: '/apply',
  show: async (visit) => applyPage(visit),
  submit: async (visit) => {
    const { form } = visit;
    const contact_email = form.text('contact_email').trim();
    const body = {
      institution_name: form.text('institution_name').trim(),
      contact_name: form.text('contact_name').trim(),
      contact_email,
      website: form.given('website'),
      description: form.given('description'),
    };
    const outcome = await attempt(() => visit.call('submitApplication', { body }));
    if ('faults' in outcome) return applyPage(visit, outcome.faults);
    return {
      title: 'Your application is in',
      body: (
        <Notice kind="good" live>
          <p>
            An administrator looks at it. When it is approved, an invitation comes to{' '}
            {contact_email}.
          </p>
          <p>
            Its number is <code>{outcome.done.value.id}</code>.
          </p>
          <p>
            Until then: <a href="/docs/guides/quick-start">what joining takes</a>.
          </p>
        </Notice>
      ),
    };
  },
};

function applyPage(visit: Visit, faults?: Faults): View {
  const { form } = visit;
  return {
    title: 'Become a member',
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <p>
          Members report the loans they give, and read with a purpose that the law permits. Tell us
          who you are; an administrator answers.
        </p>
        <Form page={visit} faults={faults}>
          <Field
            name="institution_name"
            label="Name of your institution"
            required
            autocomplete="organization"
            value={form.text('institution_name')}
            faults={faults}
          />
          <Field
            name="website"
            label="Website"
            type="url"
            autocomplete="url"
            placeholder="https://"
            value={form.text('website')}
            faults={faults}
          />
          <Field
            name="contact_name"
            label="Your name"
            required
            autocomplete="name"
            value={form.text('contact_name')}
            faults={faults}
          />
          <Field
            name="contact_email"
            label="Your e-mail address"
            type="email"
            required
            autocomplete="email"
            hint="The invitation goes there: you become its first owner."
            value={form.text('contact_email')}
            faults={faults}
          />
          <Field
            name="description"
            label="Whom do you lend to, and how much?"
            rows={5}
            value={form.text('description')}
            faults={faults}
          />
          <Submit>Send the application</Submit>
        </Form>
      </>
    ),
  };
}
