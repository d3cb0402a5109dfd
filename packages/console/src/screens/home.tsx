import { Facts, Notice } from '../components';
import type { Page, View } from '../page';
import { everybody, type Screen } from '../screen';

/** What was just done, as the page that it led to says it. */
const DONE: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Your other sessions have ended.',
};

/** Where everybody arrives. */
export const homeScreen: Screen = {
  path: '/',
  place: { section: 'Institution', label: 'Home' },
  isFor: everybody,
  by_environment: true,
  show: async (page) => home(page),
};

function home(page: Page): View {
  const { me } = page;
  const done = DONE[page.query('done') ?? ''];
  return {
    title: me.institution?.name ?? 'The network',
    body: (
      <>
        {done && (
          <Notice kind="good" live>
            <p>{done}</p>
          </Notice>
        )}
        <Facts
          of={[
            ['You are', me.display_name],
            ['With the role', me.platform_role ?? me.role ?? '–'],
          ]}
        />
      </>
    ),
  };
}
