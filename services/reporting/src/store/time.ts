// Times cross the border of the database as RFC 3339 text.

let last_ms = 0;
let last_text = new Date(last_ms).toISOString();

/** One batch has one time of its own, which most of its rows repeat: it is written out once. */
function textOf(at_ms: number): string {
  if (at_ms !== last_ms) {
    last_text = new Date(at_ms).toISOString();
    last_ms = at_ms;
  }
  return last_text;
}

export function toText(at_ms: number): string;
export function toText(at_ms: number | undefined): string | undefined;
export function toText(at_ms: number | undefined): string | undefined {
  return at_ms === undefined ? undefined : textOf(at_ms);
}

export function toMs(text: string): number;
export function toMs(text: string | undefined): number | undefined;
export function toMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
