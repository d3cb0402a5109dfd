// What scripts add: times in the reader's zone, and buttons that copy. Everything works without.

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
      await navigator.clipboard.writeText(button.dataset.copy ?? '');
      button.classList.add('done');
      setTimeout(() => button.classList.remove('done'), 1_500);
    });
  }
}

function start(root: ParentNode): void {
  showTimes(root);
  startCopying(root);
}

start(document);
// A part of the page that was put in place of another.
document.addEventListener('htmx:load', (event) => {
  if (event.target instanceof Element && event.target !== document.body) start(event.target);
});
// What went wrong is read out, and is where the keyboard is.
document.querySelector<HTMLElement>('[role="alert"][tabindex]')?.focus();

/** The token of a mailed link stands behind the #, which no server sees; from there it goes into its field. */
function takeToken(): void {
  const field = document.querySelector<HTMLInputElement>('input[name="token"]');
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (field === null || token === null) return;
  field.value = token;
  // Neither the history nor the next page's address keeps it.
  history.replaceState(null, '', location.pathname);
  // A form with nothing else to fill in goes on by itself.
  const form = field.form;
  if (form !== null && form.querySelectorAll('input:not([type="hidden"])').length === 1) {
    form.requestSubmit();
  }
}

takeToken();
