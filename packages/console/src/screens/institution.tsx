import { attempt, type Faults } from '../attempt';
import { Badge, Choices, Done, Facts, Field, Form, Submit, Time } from '../components';
import type { Page, View } from '../page';
import { type Screen, withPermission } from '../screen';
import { words } from '../words';

/** What the network says of the institution. */
export const institutionScreen: Screen = {
  path: '/institution',
  place: { section: 'Institution', label: 'Institution' },
  isFor: withPermission('institution.read'),
  show: (page) => institutionPage(page),
  submit: async (page) => {
    const { form } = page;
    const body = {
      website: form.given('website') ?? null,
      publicly_listed: form.text('listed') === 'yes',
    };
    const outcome = await attempt(() => page.call('updateOwnInstitution', { body }));
    if ('faults' in outcome) return institutionPage(page, outcome.faults);
    return { location: page.href('/institution', { done: 'saved' }) };
  },
};

async function institutionPage(page: Page, faults?: Faults): Promise<View> {
  const { value: own } = await page.call('getOwnInstitution');
  return {
    title: own.name,
    status: faults === undefined ? 200 : 422,
    body: (
      <>
        <Done page={page} says={{ saved: 'Saved.' }} />
        <Facts
          of={[
            ['State', <Badge tone="good">{words(own.status)}</Badge>],
            ['Member since', <Time at={own.created_at} day />],
            ['Website', own.website ?? '–'],
            ['Among the public members', own.publicly_listed ? 'Yes' : 'No'],
          ]}
        />
        {page.may('institution.users.manage') && (
          <>
            <h2>Change</h2>
            <Form page={page} faults={faults}>
              <Field
                name="website"
                label="Website"
                type="url"
                value={faults === undefined ? (own.website ?? '') : page.form.text('website')}
                faults={faults}
              />
              <Choices
                type="radio"
                name="listed"
                legend="Shown among the public members"
                choices={[
                  { value: 'yes', label: 'Yes' },
                  { value: 'no', label: 'No' },
                ]}
                chosen={[own.publicly_listed ? 'yes' : 'no']}
              />
              <Submit>Save</Submit>
            </Form>
            <p class="soft">The name is changed by the network’s administrators.</p>
          </>
        )}
      </>
    ),
  };
}
