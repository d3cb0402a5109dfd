/** What is kept of a receiver's answer, beside its status. */
export interface Answer {
  readonly headers: readonly Header[];
  readonly body: string;
  /** Whether there were more headers, or more of one or of the body. */
  readonly truncated: boolean;
}

/** A header, its name in lower case. */
export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Of the body, in bytes: enough for what an error page or a JSON error says. */
export const MAX_BODY_BYTES = 2_048;

/** Of all headers together as lines, and of one's value, in characters. */
const MAX_HEADERS = 2_048;
const MAX_VALUE = 512;

/** What stands where something was left out. */
export const LEFT_OUT = '(left out)';

// By the name alone, for values look like anything: rather a harmless one too much.
const MAY_LET_IN =
  /auth|cookie|credential|csrf|xsrf|jwt|key|nonce|passw|secret|session|signature|ticket|token/;

// Controls but what makes lines, and characters that turn the direction of what stands around them.
const UNSHOWN = /[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\t\n\r]/gu;
const LINE_BREAKS = /[\t\n\r]+/g;

/**
 * What is kept of an answer. A stranger wrote it, and people of an institution will read it: it is
 * text, it is bounded, and holds nothing in which credentials travel.
 * @param raw names and values by turns, as they came
 * @param start the first bytes of the body, up to {@link MAX_BODY_BYTES}
 */
export function keptAnswer(
  raw: readonly string[],
  start: Uint8Array,
  has_more_body: boolean,
): Answer {
  const headers: Header[] = [];
  let truncated = has_more_body;
  let room = MAX_HEADERS;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = shown(raw[at] ?? '').toLowerCase();
    const whole = MAY_LET_IN.test(name) ? LEFT_OUT : (raw[at + 1] ?? '');
    const value = withoutQueries(shown(whole.slice(0, MAX_VALUE)).replace(LINE_BREAKS, ' '));
    room -= name.length + value.length + ': \n'.length;
    truncated ||= room < 0 || whole.length > MAX_VALUE;
    if (room < 0) break;
    headers.push({ name, value });
  }
  // A character that the bound cuts in two is left out, not shown as a broken one.
  const body = new TextDecoder().decode(start, { stream: has_more_body });
  return { headers, body: shown(body), truncated };
}

function shown(text: string): string {
  return text.toWellFormed().replace(UNSHOWN, '\ufffd');
}

/** Addresses carry secrets in their queries and before the @; `?0` and `?1` are yes and no in headers. */
function withoutQueries(value: string): string {
  return value
    .replace(/\?(?![01](?:$|[\s,;]))[^\s"'<>]*/g, `?${LEFT_OUT}`)
    .replace(/\/\/[^\s"'<>/@]*@/g, `//${LEFT_OUT}@`);
}

/** Headers as they are stored, a line each. */
export function headerLines(headers: readonly Header[]): string {
  return headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
}

/** And back. */
export function headersOf(lines: string): Header[] {
  if (lines === '') return [];
  return lines.split('\n').map((line) => {
    const end = line.indexOf(': ');
    return { name: line.slice(0, end), value: line.slice(end + 2) };
  });
}
