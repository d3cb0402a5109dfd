import { html, PAGE_HEAD, THEME_BUTTON } from '@credit/pages';
import type { FC, PropsWithChildren } from 'hono/jsx';
import { Time } from './components';
import { CONSOLE, type Content, hrefIn, Page, type Visit } from './page';
import { MY, type PersonVisit } from './person/visit';
import { type Screen, SECTIONS } from './screen';
import { words } from './words';

/** Where the console's own styles and scripts are. */
export const CONSOLE_STATIC = `${CONSOLE}/static`;

// htmx writes no style of its own, runs no text as code, asks nobody else and keeps no page.
const HTMX = JSON.stringify({
  includeIndicatorStyles: false,
  allowEval: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  scrollIntoViewOnBoost: false,
});

export interface Framing {
  readonly title: string;
  readonly screens: readonly Screen[];
  readonly network_name: string;
}

/** A whole page, for a reader who is signed in or not. */
export function framed(visit: Visit, body: Content, framing: Framing): string {
  const { title, network_name } = framing;
  const shown =
    visit instanceof Page ? (
      <Frame page={visit} framing={framing}>
        {body}
      </Frame>
    ) : (
      <Alone title={title} network_name={network_name}>
        {body}
      </Alone>
    );
  return documentOf(shown, { title, network_name, is_test: visit.environment === 'test' });
}

/** A page that anybody finds, outside the console. */
export function framedForEverybody(
  visit: Visit,
  body: Content,
  { title, network_name }: Omit<Framing, 'screens'>,
): string {
  const shown = (
    <Everybody path={visit.request.path} title={title} network_name={network_name}>
      {body}
    </Everybody>
  );
  return documentOf(shown, { title, network_name, is_test: false });
}

/** A page of a person who is in at the own file. */
export function framedForPerson(
  visit: PersonVisit,
  body: Content,
  { title, network_name }: Omit<Framing, 'screens'>,
): string {
  const shown = (
    <OwnFile visit={visit} title={title} network_name={network_name}>
      {body}
    </OwnFile>
  );
  return documentOf(shown, { title, network_name, is_test: visit.environment === 'test' });
}

function documentOf(
  body: Content,
  { title, network_name, is_test }: { title: string; network_name: string; is_test: boolean },
): string {
  return String(html`<!doctype html>
<html lang="en"${is_test && html` class="test"`}>
<head>
<title>${title} · ${network_name}</title>
${PAGE_HEAD}
<meta name="htmx-config" content="${HTMX}">
<link rel="stylesheet" href="${CONSOLE_STATIC}/console.css">
<script src="${CONSOLE_STATIC}/htmx.js" defer></script>
<script type="module" src="${CONSOLE_STATIC}/console.js"></script>
</head>
${
  // No component here waits for anything.
  (<body>{body}</body>) as never
}
</html>
`);
}

const Frame: FC<PropsWithChildren<{ page: Page; framing: Framing }>> = ({
  page,
  framing: { title, screens, network_name },
  children,
}) => (
  <>
    <a class="skip" href="#content">
      Skip to the content
    </a>
    <header class="bar">
      <button type="button" class="menu-button" popovertarget="navigation">
        <span class="menu-icon" aria-hidden="true"></span>
        <span class="visually-hidden">Menu</span>
      </button>
      <a class="brand" href={page.href('/')}>
        <img src="/static/icon.svg" alt="" width="24" height="24" />
        <span>{page.me.institution?.name ?? network_name}</span>
      </a>
      <EnvironmentSwitch page={page} />
      {THEME_BUTTON}
    </header>
    <div class="frame">
      <nav id="navigation" class="navigation" aria-label="Console" popover="auto">
        {SECTIONS.map((section) => (
          <Navigation page={page} section={section} screens={screens} />
        ))}
        <div class="who">
          <p>
            <strong>{page.me.display_name}</strong>
            <span class="soft">{words(page.me.platform_role ?? page.me.role ?? '')}</span>
          </p>
          <form method="post" action={`${CONSOLE}/sign-out`}>
            <input type="hidden" name="form_token" value={page.form_token} />
            <button type="submit" class="quiet">
              Sign out
            </button>
          </form>
        </div>
      </nav>
      <main id="content" tabindex={-1}>
        {page.environment === 'test' && (
          <p class="test-note">
            <strong>Test data.</strong> Nothing here is about anybody.
          </p>
        )}
        <h1>{title}</h1>
        {children}
      </main>
    </div>
  </>
);

const EnvironmentSwitch: FC<{ page: Page }> = ({ page }) => {
  if (page.me.institution === null) return <span class="spacer"></span>;
  // What is about one record of an environment is not in the other: its list is.
  const { path } = page;
  const target = /[0-9a-f]{8}-/.test(path) ? `/${path.split('/')[1] ?? ''}` : path;
  return (
    <nav class="environment" aria-label="Environment">
      {(['live', 'test'] as const).map((environment) => (
        <a
          href={hrefIn(environment, target)}
          aria-current={environment === page.environment ? 'true' : undefined}
          class={environment}
        >
          {environment === 'live' ? 'Live' : 'Test'}
        </a>
      ))}
    </nav>
  );
};

const Navigation: FC<{ page: Page; section: string; screens: readonly Screen[] }> = ({
  page,
  section,
  screens,
}) => {
  const shown = screens.filter(
    (screen) => screen.place?.section === section && screen.isFor(page.me, page.environment),
  );
  if (shown.length === 0) return null;
  const here = page.path;
  return (
    <>
      <h2>{section}</h2>
      <ul>
        {shown.map(({ path, place, by_environment }) => {
          const href = by_environment ? page.href(path) : hrefIn('live', path);
          const is_here = here === path || (path !== '/' && here.startsWith(`${path}/`));
          return (
            <li>
              <a href={href} aria-current={is_here ? 'page' : undefined}>
                {place?.label}
              </a>
            </li>
          );
        })}
      </ul>
    </>
  );
};

/** For whoever is not signed in. */
const Alone: FC<PropsWithChildren<{ title: string; network_name: string }>> = ({
  title,
  network_name,
  children,
}) => (
  <>
    <header class="bar">
      <a class="brand" href="/">
        <img src="/static/icon.svg" alt="" width="24" height="24" />
        <span>{network_name}</span>
      </a>
      <span class="spacer"></span>
      {THEME_BUTTON}
    </header>
    <main id="content" class="alone" tabindex={-1}>
      <h1>{title}</h1>
      {children}
    </main>
  </>
);

const PUBLIC_LINKS = [
  ['/dispute', 'Dispute an entry'],
  ['/dispute/follow', 'Follow a dispute'],
  ['/apply', 'For lenders'],
  ['/members', 'Members'],
  [MY, 'Your file'],
] as const;

const PERSON_LINKS = [
  [MY, 'Your file'],
  [`${MY}/disputes`, 'Your disputes'],
  [`${MY}/freeze`, 'Freeze and alerts'],
  [`${MY}/contact`, 'Mails'],
  [`${MY}/about`, 'About your data'],
] as const;

const PUBLIC_FOOT = [
  ['/docs', 'Documentation'],
  ['/status', 'Status'],
  ['/contact', 'Contact'],
] as const;

/** The frame of a person's pages. */
const OwnFile: FC<
  PropsWithChildren<{ visit: PersonVisit; title: string; network_name: string }>
> = ({ visit, title, network_name, children }) => (
  <>
    <a class="skip" href="#content">
      Skip to the content
    </a>
    <header class="bar">
      <a class="brand" href="/">
        <img src="/static/icon.svg" alt="" width="24" height="24" />
        <span>{network_name}</span>
      </a>
      <form method="post" action={`${MY}/leave`}>
        <input type="hidden" name="form_token" value={visit.form_token} />
        <button type="submit" class="quiet">
          Leave
        </button>
      </form>
      {THEME_BUTTON}
    </header>
    <nav class="public-links" aria-label="Your file">
      <ul>
        {PERSON_LINKS.map(([href, text]) => (
          <li>
            <a href={href} aria-current={href === visit.request.path ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <main id="content" class="public" tabindex={-1}>
      {visit.environment === 'test' && (
        <p class="test-note">
          <strong>Test data.</strong> Nothing here is about anybody.
        </p>
      )}
      <h1>{title}</h1>
      {children}
      <p class="soft">
        You are in until <Time at={new Date(visit.expires_at_ms).toISOString()} />.
      </p>
    </main>
    <footer class="public-foot">
      <ul>
        {PUBLIC_FOOT.map(([href, text]) => (
          <li>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </footer>
  </>
);

/** The frame of the pages that are everybody's. */
const Everybody: FC<PropsWithChildren<{ path: string; title: string; network_name: string }>> = ({
  path,
  title,
  network_name,
  children,
}) => {
  const link = ([href, text]: readonly [string, string]) => (
    <li>
      <a href={href} aria-current={href === path ? 'page' : undefined}>
        {text}
      </a>
    </li>
  );
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href="/">
          <img src="/static/icon.svg" alt="" width="24" height="24" />
          <span>{network_name}</span>
        </a>
        <a class="button quiet" href={`${CONSOLE}/sign-in`}>
          Sign in
        </a>
        {THEME_BUTTON}
      </header>
      <nav class="public-links" aria-label="Pages">
        <ul>{PUBLIC_LINKS.map(link)}</ul>
      </nav>
      <main id="content" class="public" tabindex={-1}>
        <h1>{title}</h1>
        {children}
      </main>
      <footer class="public-foot">
        <ul>{PUBLIC_FOOT.map(link)}</ul>
      </footer>
    </>
  );
};
