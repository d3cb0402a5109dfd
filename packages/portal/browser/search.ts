import { type Found, SearchEngine, type SearchEntry } from './ranking.js';

const INDEX_URL = '/docs/search.json';

const MOST_SUGGESTIONS = 5;

async function loadEngine(): Promise<SearchEngine> {
  const answer = await fetch(INDEX_URL);
  if (!answer.ok) throw new Error(`The search index answered ${answer.status}.`);
  return new SearchEngine((await answer.json()) as SearchEntry[]);
}

/** On the page for an address that leads nowhere: what its words could mean. */
export async function suggest(root: ParentNode, pathname: string): Promise<void> {
  const place = root.querySelector<HTMLElement>('.suggestions');
  const list = place?.querySelector('ul');
  if (!place || !list) return;
  const last = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1));
  const found = await loadEngine().then(
    (engine) => engine.find(last.replaceAll('-', ' ')).filter(({ kind }) => kind !== 'internal'),
    () => [],
  );
  for (const { url, title, where } of found.slice(0, MOST_SUGGESTIONS)) {
    const link = textIn('a', title);
    link.href = url;
    const item = document.createElement('li');
    item.append(link, ` ${where}`);
    list.append(item);
  }
  place.hidden = found.length === 0;
}

/** The search in the bar: a box whose results are walked with the arrow keys. */
export function startSearch(root: HTMLElement, open: (url: string) => void): void {
  const input = root.querySelector('input');
  const list = root.querySelector('ul');
  const count = root.querySelector('.search-count');
  if (input === null || list === null || count === null) return;
  let engine: Promise<SearchEngine> | undefined;
  let results: readonly Found[] = [];
  let active = -1;
  root.hidden = false;

  const load = () => {
    engine ??= loadEngine();
    return engine;
  };
  const close = () => {
    results = [];
    active = -1;
    list.hidden = true;
    list.replaceChildren();
    count.textContent = '';
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const activate = (at: number) => {
    active = at;
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute('aria-selected', String(index === at));
      if (index === at) {
        option.scrollIntoView({ block: 'nearest' });
        input.setAttribute('aria-activedescendant', option.id);
      }
    }
  };
  const choose = (at: number) => {
    const chosen = results[at];
    if (chosen === undefined) return;
    close();
    input.value = '';
    input.blur();
    open(chosen.url);
  };
  const show = async () => {
    const query = input.value;
    const found = await load().then(
      (loaded) => loaded.find(query),
      () => undefined,
    );
    // Something else was typed while the index came.
    if (query !== input.value) return;
    if (query.trim() === '') {
      close();
      return;
    }
    if (found === undefined) {
      engine = undefined;
      close();
      count.textContent = 'The search cannot be reached.';
      return;
    }
    results = found;
    list.replaceChildren(...found.map((entry, at) => optionOf(entry, at, () => choose(at))));
    if (found.length === 0) list.append(nothingFound());
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    count.textContent = `${found.length} ${found.length === 1 ? 'result' : 'results'}`;
    if (found.length > 0) activate(0);
  };

  input.addEventListener('focus', () => void load().catch(() => {}), { once: true });
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
      input.value = '';
    } else if (event.key === 'Enter') {
      choose(active);
    } else if (event.key === 'ArrowDown' && results.length > 0) {
      activate((active + 1) % results.length);
    } else if (event.key === 'ArrowUp' && results.length > 0) {
      activate((active + results.length - 1) % results.length);
    } else {
      return;
    }
    event.preventDefault();
  });
  root.addEventListener('focusout', (event) => {
    if (!root.contains(event.relatedTarget as Node | null)) close();
  });
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    const with_control = event.ctrlKey || event.metaKey;
    const by_slash = event.key === '/' && !typing && !with_control && !event.altKey;
    const by_control = event.key.toLowerCase() === 'k' && with_control && !event.altKey;
    if (!by_slash && !by_control) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

function optionOf(entry: Found, at: number, choose: () => void): HTMLLIElement {
  const option = document.createElement('li');
  option.id = `search-result-${at}`;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  option.append(textIn('strong', entry.title), textIn('span', entry.where));
  if (entry.excerpt !== '') option.append(textIn('small', entry.excerpt));
  // Before the box loses its focus, which would take the list away.
  option.addEventListener('mousedown', (event) => event.preventDefault());
  option.addEventListener('click', choose);
  return option;
}

function nothingFound(): HTMLLIElement {
  const option = textIn('li', 'Nothing found');
  option.setAttribute('role', 'option');
  option.setAttribute('aria-disabled', 'true');
  return option;
}

function textIn<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
