import { fillSamples } from './samples.js';
import { type Filled, keyRefusal, trialRequest } from './trial-request.js';

/** In this variable and nowhere else: it is gone with the page. */
let test_key = '';
/** What was last filled in under each name, so that the next operation goes on with it. */
const remembered = new Map<string, string>();

const LONGEST_SHOWN_CHARACTERS = 100_000;

type Control = HTMLInputElement | HTMLSelectElement;

/** The key that was filled in last; empty when there is none. */
export function triedKey(): string {
  return test_key;
}

/** Brings the forms of a page to life. */
export function startTrials(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>('.try form')) {
    form.closest('details')?.addEventListener('toggle', () => prefill(form));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form);
    });
    const key = keyOf(form);
    // A live key does not stay for as long as it takes to press a button.
    key?.addEventListener('input', () => {
      const refused = keyRefusal(key.value.trim());
      if (refused?.forget) {
        key.value = '';
        test_key = '';
        fillSamples(document, test_key);
        say(form, refused.sentence);
      } else if (refused === undefined) {
        test_key = key.value.trim();
        fillSamples(document, test_key);
        say(form, undefined);
      }
    });
  }
}

function keyOf(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector<HTMLInputElement>('[data-key]');
}

function prefill(form: HTMLFormElement): void {
  const key = keyOf(form);
  if (key !== null && key.value === '') key.value = test_key;
  for (const control of form.querySelectorAll<Control>('[data-in]')) {
    if (control.value !== '') continue;
    if (control.name === 'Idempotency-Key') control.value = newIdempotencyKey();
    else if (control.dataset.in === 'path') control.value = remembered.get(control.name) ?? '';
  }
}

/** randomUUID is there on secure origins only; a network on a LAN may have none. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `try-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function say(form: HTMLFormElement, fault: string | undefined): void {
  const place = form.querySelector<HTMLElement>('.fault');
  if (place === null) return;
  place.textContent = fault ?? '';
  place.hidden = fault === undefined;
}

async function send(form: HTMLFormElement): Promise<void> {
  const key = keyOf(form);
  const controls = [...form.querySelectorAll<Control>('[data-in]')];
  const request = trialRequest({
    method: form.dataset.method ?? 'GET',
    path: form.dataset.path ?? '',
    key: key?.value.trim(),
    body: form.querySelector<HTMLTextAreaElement>('[data-body]')?.value,
    fields: controls.map((control) => ({
      place: control.dataset.in as Filled['place'],
      name: control.name,
      value: control.value.trim(),
      required: control.required,
    })),
  });
  if ('refused' in request) {
    say(form, request.refused);
    return;
  }
  say(form, undefined);
  for (const control of controls) {
    if (control.dataset.in === 'path') remembered.set(control.name, control.value.trim());
  }
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  const result = form.parentElement?.querySelector<HTMLElement>('.result');
  if (result === null || result === undefined || button === null) return;
  button.disabled = true;
  result.replaceChildren(line('Waiting for the answer…'));
  const began_ms = performance.now();
  try {
    const answer = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    const text = await answer.text();
    result.replaceChildren(...shown(answer, text, performance.now() - began_ms));
    renewIdempotencyKey(controls, answer.ok);
  } catch {
    result.replaceChildren(line('There was no answer: the network may be down or out of reach.'));
  } finally {
    button.disabled = false;
  }
}

/** A key stands for one change; the next one needs another. */
function renewIdempotencyKey(controls: readonly Control[], done: boolean): void {
  const control = controls.find(({ name }) => name === 'Idempotency-Key');
  if (control !== undefined && done) control.value = newIdempotencyKey();
}

function shown(answer: Response, text: string, took_ms: number): Node[] {
  const status = document.createElement('p');
  status.className = `status-line ${answer.ok ? 'good' : 'bad'}`;
  const number = document.createElement('strong');
  number.textContent = `${answer.status} ${answer.statusText}`.trim();
  status.append(number, ` in ${Math.round(took_ms)} ms`);

  const headers = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Headers';
  headers.append(
    summary,
    block([...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n'), 'Headers'),
  );
  const body = text === '' ? line('No body.') : block(pretty(answer, text), 'Body of the answer');
  return [status, body, headers];
}

function pretty(answer: Response, text: string): string {
  const cut =
    text.length > LONGEST_SHOWN_CHARACTERS
      ? `${text.slice(0, LONGEST_SHOWN_CHARACTERS)}\n… (${text.length} characters in all)`
      : text;
  if (!answer.headers.get('Content-Type')?.startsWith('application/json')) return cut;
  if (cut !== text) return cut;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function block(text: string, label: string): HTMLElement {
  const frame = document.createElement('div');
  frame.className = 'code';
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', label);
  pre.textContent = text;
  frame.append(pre);
  return frame;
}

function line(text: string): HTMLElement {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  return paragraph;
}
