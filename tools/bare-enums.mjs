// Gives the members of generated enums their bare names as values: `AccountStatus.CURRENT` is
// 'CURRENT', not 'ACCOUNT_STATUS_CURRENT', so that protos, domains, SQL and JSON share one text and
// nobody translates. The wire has numbers; nothing is changed there.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ENUM = /export const \w+ = \{\n(?:[^}]*?)\} as const;/g;
const MEMBER = /^ {2}(\w+): "(\w+)",$/gm;

/** The generated file with bare enum values. */
export function withBareEnums(source) {
  const bare = new Map();
  for (const [declaration] of source.matchAll(ENUM)) {
    for (const [, name, value] of declaration.matchAll(MEMBER)) bare.set(value, name);
  }
  return source.replace(/"(\w+)"/g, (text, value) =>
    bare.has(value) ? `"${bare.get(value)}"` : text,
  );
}

/** Rewrites every generated file below the folder. */
export function bareEnumsBelow(folder) {
  eachGenerated(folder, withBareEnums);
}

/** Puts every generated file below the folder through a function of its text. */
export function eachGenerated(folder, change) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const place = path.join(folder, file);
    const source = readFileSync(place, 'utf8');
    const result = change(source);
    if (result !== source) writeFileSync(place, result);
  }
}
