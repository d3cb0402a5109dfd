import { startCopyButtons, startPageCopy } from './copy.js';
import { Navigation } from './navigation.js';
import { startSamples } from './samples.js';
import { startSearch, suggest } from './search.js';
import { startTrials, triedKey } from './try-it.js';

const menu = document.querySelector<HTMLButtonElement>('.menu-button');

function setMenu(open: boolean): void {
  document.documentElement.classList.toggle('menu-open', open);
  menu?.setAttribute('aria-expanded', String(open));
}

/** Scrolls the navigation, and nothing else, to where the reader is. */
function showCurrentPage(): void {
  const frame = document.querySelector('#navigation');
  const current = frame?.querySelector('[aria-current]');
  if (!frame || !current) return;
  const { top, bottom } = frame.getBoundingClientRect();
  const place = current.getBoundingClientRect();
  if (place.top < top || place.bottom > bottom) {
    frame.scrollTop += place.top - top - frame.clientHeight / 2;
  }
}

/** What a page needs once it is shown, the first one and each that follows. */
function started(root: ParentNode): void {
  setMenu(false);
  showCurrentPage();
  startTrials(root);
  startSamples(root, triedKey());
  startCopyButtons(root);
  startPageCopy(root);
  void suggest(root, location.pathname);
}

// With scripts the navigation folds away on small screens; without, it stays where it is.
document.documentElement.classList.add('scripted');
const navigation = new Navigation(started);
navigation.start();

if (menu !== null) {
  menu.hidden = false;
  menu.addEventListener('click', () => setMenu(menu.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') setMenu(false);
  });
}
const search = document.querySelector<HTMLElement>('.search');
if (search !== null) startSearch(search, (url) => navigation.open(url));
started(document);
