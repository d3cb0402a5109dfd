// What scripts add: times in the reader's zone, and buttons that copy. Everything works without.

import { startUploads } from './upload.js';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function showTimes(root: ParentNode): void {
  // A day is the same day everywhere.
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-local="time"]')) {
    time.textContent = TIME.format(new Date(time.dateTime));
  }
}

function startCopying(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const text = button.dataset.copy ?? '';
      // A path is copied as the link that it is.
      await navigator.clipboard.writeText(text.startsWith('/') ? location.origin + text : text);
      button.classList.add('done');
      setTimeout(() => button.classList.remove('done'), 1_500);
    });
  }
}

function startPrinting(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}

function start(root: ParentNode): void {
  showTimes(root);
  startPrinting(root);
  startCopying(root);
  startUploads(root, start);
}

start(document);
// A part of the page that was put in place of another.
document.addEventListener('htmx:load', (event) => {
  if (event.target instanceof Element && event.target !== document.body) start(event.target);
});
// What went wrong is read out, and is where the keyboard is.
document.querySelector<HTMLElement>('[role="alert"][tabindex]')?.focus();

/** What opens something stands behind the # of a link, which no server sees; from there it goes into its fields. */
function takeSecrets(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  const fields = ['dispute_id', 'token'].flatMap((name) => {
    const field = document.querySelector<HTMLInputElement>(`input[name="${name}"]`);
    const value = given.get(name);
    return field === null || value === null ? [] : [{ field, value }];
  });
  if (fields.length === 0) return;
  for (const { field, value } of fields) field.value = value;
  // Neither the history nor the next page's address keeps it.
  history.replaceState(null, '', location.pathname);
  // A form with nothing else to fill in goes on by itself.
  const form = fields[0]?.field.form;
  const empty = form?.querySelectorAll<HTMLInputElement>('input:not([type="hidden"])') ?? [];
  if ([...empty].every(({ value }) => value !== '')) form?.requestSubmit();
}

takeSecrets();
