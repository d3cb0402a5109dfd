// Times cross the border of the database as RFC 3339 text.

import { toTimestamp } from '@credit/platform/runtime';

export function toText(at_ms: number): string;
export function toText(at_ms: number | undefined): string | undefined;
export function toText(at_ms: number | undefined): string | undefined {
  return at_ms === undefined ? undefined : toTimestamp(at_ms);
}

export function toMs(text: string): number;
export function toMs(text: string | undefined): number | undefined;
export function toMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
