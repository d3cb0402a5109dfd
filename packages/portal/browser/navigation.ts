/**
 * Goes from page to page without loading anew, so that the test key, which is kept in memory only,
 * lasts while the reader follows a path through the reference.
 */
export class Navigation {
  readonly #started: (root: ParentNode) => void;
  #shown = location.pathname;

  constructor(started: (root: ParentNode) => void) {
    this.#started = started;
  }

  start(): void {
    document.addEventListener('click', (event) => {
      const link = (event.target as Element).closest('a');
      const other_window = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (link === null || event.button !== 0 || other_window) return;
      if (!isPage(link) || link.pathname === this.#shown) return;
      event.preventDefault();
      this.open(link.href);
    });
    addEventListener('popstate', () => {
      if (location.pathname !== this.#shown) void this.#show(location.href);
    });
  }

  /** Shows a page of the portal, at its anchor when the address has one. */
  open(url: string): void {
    const target = new URL(url, location.href);
    if (target.pathname === this.#shown) {
      location.hash = target.hash;
      return;
    }
    history.pushState(null, '', target);
    void this.#show(target.href);
  }

  async #show(url: string): Promise<void> {
    const target = new URL(url);
    this.#shown = target.pathname;
    const page = await fetch(target.pathname, { headers: { Accept: 'text/html' } }).then(
      async (answer) =>
        answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined,
      () => undefined,
    );
    // The reader has gone on meanwhile.
    if (this.#shown !== target.pathname) return;
    const main = page?.querySelector('main');
    const navigation = page?.querySelector('#navigation');
    if (page === undefined || !main || !navigation) {
      location.href = url;
      return;
    }
    document.title = page.title;
    const old_navigation = document.querySelector('#navigation');
    const scrolled_px = old_navigation?.scrollTop ?? 0;
    old_navigation?.replaceChildren(...navigation.childNodes);
    if (old_navigation !== null) old_navigation.scrollTop = scrolled_px;
    document.querySelector('main')?.replaceWith(main);
    this.#started(main);
    this.#arrive(main, target.hash);
  }

  /** A screen reader reads from where the focus is. */
  #arrive(main: HTMLElement, hash: string): void {
    const anchor = hash === '' ? null : document.getElementById(decodeURIComponent(hash.slice(1)));
    main.focus({ preventScroll: true });
    if (anchor === null) scrollTo(0, 0);
    // Set anew, so that the target is marked as after a click.
    else location.replace(hash);
  }
}

function isPage(link: HTMLAnchorElement): boolean {
  return (
    link.origin === location.origin &&
    (link.pathname === '/docs' || link.pathname.startsWith('/docs/')) &&
    // A file, such as the vectors of the signatures.
    !/\.[a-z]+$/.test(link.pathname)
  );
}
