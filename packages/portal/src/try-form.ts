import { type Html, html } from '@credit/pages';
import { exampleOf, type FoundOperation, type Parameter } from './openapi-document';

/** Whether an operation can be tried from its page: with a test key, freely, or not and why. */
type Trial =
  | { readonly kind: 'test_key' }
  | { readonly kind: 'free' }
  | { readonly kind: 'none'; readonly reason: string };

function trialOf({ security, method }: FoundOperation): Trial {
  if (security.includes('apiKey')) return { kind: 'test_key' };
  if (security.length > 0) {
    return {
      kind: 'none',
      reason:
        'This operation takes another credential than an API key, and this page takes test keys ' +
        'and nothing else. Send the request above from your own machine.',
    };
  }
  if (method === 'GET') return { kind: 'free' };
  return {
    kind: 'none',
    reason:
      'This operation writes to the live network, and this page works on test data only. Send ' +
      'the request above from your own machine.',
  };
}

function field(id: string, parameter: Parameter): Html {
  const { name, in: place, required = false } = parameter;
  const example = exampleOf(parameter);
  const field_id = `${id}-${place}-${name}`;
  const values = parameter.schema.enum?.filter((value) => value !== null);
  const control =
    values === undefined
      ? html`<input id="${field_id}" data-in="${place}" name="${name}" ${required && 'required'}
autocomplete="off" spellcheck="false" placeholder="${example === undefined ? '' : String(example)}">`
      : html`<select id="${field_id}" data-in="${place}" name="${name}" ${required && 'required'}>
<option value=""></option>
${values.map((value) => html`<option>${String(value)}</option>`)}
</select>`;
  return html`<div class="field"><label for="${field_id}"><code>${name}</code>
${!required && html`<small>optional</small>`}</label>
${control}</div>`;
}

/** The form that sends the operation's request; the page's script brings it to life. */
export function tryForm(operation: FoundOperation, base_path: string): Html {
  const { id, method, path, summary, parameters, body } = operation;
  const trial = trialOf(operation);
  if (trial.kind === 'none') return html`<p class="no-try">${trial.reason}</p>`;
  const shown = parameters.filter(({ name }) => name !== 'X-Request-ID');
  return html`<details class="try">
<summary>Try it<span class="visually-hidden">: ${summary}</span></summary>
<form data-method="${method}" data-path="${base_path}${path}" novalidate aria-label="Try: ${summary}">
${
  trial.kind === 'test_key' &&
  html`<div class="field"><label for="${id}-key">Test key</label>
<input id="${id}-key" class="key" data-key required autocomplete="off" autocapitalize="off"
spellcheck="false" placeholder="svc_test_…" aria-describedby="${id}-key-note">
<p class="note" id="${id}-key-note">Works on test data. The key stays in this tab’s memory and is
gone when you close or reload it.</p></div>`
}
${shown.map((parameter) => field(id, parameter))}
${
  body !== undefined &&
  html`<div class="field"><label for="${id}-body">Body</label>
<textarea id="${id}-body" data-body rows="10" spellcheck="false" autocomplete="off">
${JSON.stringify(exampleOf(body) ?? {}, null, 2)}</textarea></div>`
}
<button type="submit">Send request</button>
<p class="fault" role="alert" hidden></p>
</form>
<div class="result" role="status"></div>
</details>`;
}
