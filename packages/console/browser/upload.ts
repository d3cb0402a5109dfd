// Large files go in parts, each a request of its own: one that breaks off is sent again, and what has
// arrived stays.

const PART_BYTES = 16 * 1_024 * 1_024;
const TRIES = 5;

/** Sends files of forms better than a browser does by itself. */
export function startUploads(root: ParentNode, startAgain: (main: Element) => void): void {
  for (const form of root.querySelectorAll<HTMLFormElement>('form[data-upload], form[data-head]')) {
    form.addEventListener('submit', (event) => {
      const field = form.querySelector<HTMLInputElement>('input[type="file"]');
      const file = field?.files?.[0];
      if (field === null || file === undefined) return;
      const { head, upload } = form.dataset;
      if (head !== undefined) {
        choose(field, file, file.slice(0, Number(head)));
        return;
      }
      const from = Number(upload);
      if (file.size < from) {
        event.preventDefault();
        say(form, 'This is not the same file: more of it has arrived than it has.');
      } else if (file.size - from > PART_BYTES) {
        event.preventDefault();
        void send(form, file, from, startAgain);
      } else if (from > 0) {
        form.append(hidden('begins_at', String(from)));
        choose(field, file, file.slice(from));
      }
    });
  }
}

function choose(field: HTMLInputElement, { name }: File, part: Blob): void {
  const chosen = new DataTransfer();
  chosen.items.add(new File([part], name));
  field.files = chosen.files;
}

function hidden(name: string, value: string): HTMLInputElement {
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = name;
  field.value = value;
  return field;
}

async function send(
  form: HTMLFormElement,
  file: File,
  from: number,
  startAgain: (main: Element) => void,
): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (button) button.disabled = true;
  let url = form.action || location.href;
  let at = from;
  try {
    for (;;) {
      const to = Math.min(at + PART_BYTES, file.size);
      show(form, at, file.size);
      const answer = await sendPart(form, url, file, at, to);
      if (!answer.redirected) {
        put(await answer.text(), startAgain);
        return;
      }
      url = answer.url;
      at = to;
      if (at === file.size) break;
    }
    location.href = url;
  } catch {
    if (button) button.disabled = false;
    const [sent, whole] = [at, file.size].map(megabytes);
    say(
      form,
      `It broke off after ${sent} of ${whole} MB. What has arrived is kept: go on from the list.`,
    );
  }
}

async function sendPart(
  form: HTMLFormElement,
  url: string,
  file: File,
  at: number,
  to: number,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const body = new FormData();
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string') body.append(name, value);
    }
    if (at > 0) body.append('begins_at', String(at));
    if (to < file.size) body.append('partial', 'true');
    const field = form.querySelector<HTMLInputElement>('input[type="file"]');
    body.append(field?.name ?? 'file', file.slice(at, to), file.name);
    try {
      const answer = await fetch(url, { method: 'POST', body });
      if ((answer.status !== 429 && answer.status < 500) || tries === TRIES) return answer;
    } catch (error) {
      // Of the first part nobody knows what it began; the list shows it.
      if (at === 0 || tries === TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000 * 2 ** tries));
  }
}

/** What the network answers in place of the next page: the form, with what is wrong. */
function put(text: string, startAgain: (main: Element) => void): void {
  const main = new DOMParser().parseFromString(text, 'text/html').querySelector('main');
  const old = document.querySelector('main');
  if (main === null || old === null) return;
  old.replaceWith(main);
  startAgain(main);
  main.querySelector<HTMLElement>('[role="alert"]')?.focus();
}

function show(form: HTMLFormElement, at: number, size: number): void {
  const place = status(form);
  const bar = document.createElement('progress');
  bar.max = size;
  bar.value = at;
  bar.setAttribute('aria-label', 'Sent');
  place.replaceChildren(bar, ` ${megabytes(at)} of ${megabytes(size)} MB`);
}

function say(form: HTMLFormElement, text: string): void {
  status(form).replaceChildren(text);
}

function status(form: HTMLFormElement): Element {
  const there = form.querySelector('[role="status"]');
  if (there !== null) return there;
  const made = document.createElement('p');
  made.setAttribute('role', 'status');
  form.append(made);
  return made;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
