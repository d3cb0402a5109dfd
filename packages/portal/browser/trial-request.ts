/** One field of a form, as it was filled in. */
export interface Filled {
  readonly place: 'path' | 'query' | 'header';
  readonly name: string;
  readonly value: string;
  readonly required: boolean;
}

/** What a form asks to be sent. */
export interface Trial {
  readonly method: string;
  /** With {names} to fill in. */
  readonly path: string;
  readonly fields: readonly Filled[];
  /** Undefined when the operation takes no body. */
  readonly body: string | undefined;
  /** Undefined when the operation takes no key. */
  readonly key: string | undefined;
}

export interface TrialRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Refusal {
  readonly refused: string;
}

/** Why a key may not be used. */
export interface KeyRefusal {
  readonly sentence: string;
  /** The key must not stay on the page either. */
  readonly forget: boolean;
}

const TEST_KEY = 'svc_test_';
const LIVE_KEY = 'svc_live_';

/** Why a key may not be used here; undefined for a test key. */
export function keyRefusal(key: string): KeyRefusal | undefined {
  if (key.startsWith(LIVE_KEY)) {
    const sentence =
      'This is a live key. This page sends test keys (svc_test_…) only, so nothing was sent and ' +
      'the key was forgotten. Live keys belong in your systems, not in a browser.';
    return { sentence, forget: true };
  }
  if (key === '') return { sentence: 'Enter a test key (svc_test_…).', forget: false };
  if (key.startsWith(TEST_KEY)) return undefined;
  return { sentence: 'A test key begins with svc_test_. Nothing was sent.', forget: false };
}

/** The request of a filled form, or why there is none. */
export function trialRequest(trial: Trial): TrialRequest | Refusal {
  const headers: Record<string, string> = { Accept: '*/*' };
  if (trial.key !== undefined) {
    const refused = keyRefusal(trial.key);
    if (refused !== undefined) return { refused: refused.sentence };
    headers.Authorization = `Bearer ${trial.key}`;
  }
  let { path } = trial;
  const query = new URLSearchParams();
  for (const { place, name, value, required } of trial.fields) {
    if (value === '') {
      if (required) return { refused: `Fill in ${name}.` };
      continue;
    }
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (place === 'query') query.append(name, value);
    if (place === 'header') headers[name] = value;
  }
  if (trial.body !== undefined) {
    try {
      JSON.parse(trial.body);
    } catch (error) {
      return { refused: `The body is not JSON: ${(error as Error).message}` };
    }
    headers['Content-Type'] = 'application/json';
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return { url: `${path}${search}`, method: trial.method, headers, body: trial.body };
}
