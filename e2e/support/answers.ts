import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Exchange, OpenApiChecker } from '@credit/testing/openapi';

const PUBLISHED = path.join(__dirname, '../../docs/openapi.json');

/** The published document, as a third party would hold answers against it. */
export const checker = new OpenApiChecker(JSON.parse(readFileSync(PUBLISHED, 'utf8')));

const MAX_FAULTS = 20;
const MAX_SHOWN_CHARACTERS = 300;

let found: string[] = [];
let checked = 0;

/** Notes what is wrong with an answer; the test that is running fails of it. */
export function checkAnswer(exchange: Exchange): void {
  checked++;
  const faults = checker.faultsOf(exchange);
  if (faults.length === 0 || found.length >= MAX_FAULTS) return;
  const { method, target, status, text } = exchange;
  const shown = text.slice(0, MAX_SHOWN_CHARACTERS);
  found.push(`${method} ${target}: ${status}: ${faults.join('; ')}: ${shown}`);
}

/** What was wrong with answers since the last call. */
export function takeFaults(): string[] {
  const faults = found;
  found = [];
  return faults;
}

/** How many answers have been checked. */
export function checkedCount(): number {
  return checked;
}
