// `node tools/compose-secrets.mjs`: writes deploy/.env, which deploy/compose.yaml reads, with secrets
// that nobody else has. What is there already is kept; git ignores the file.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

const file = path.join(root, 'deploy/.env');
const compose = readFileSync(path.join(root, 'deploy/compose.yaml'), 'utf8');
const wanted = [...new Set([...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name))].sort();
const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
const missing = wanted.filter(
  (name) => !kept.split('\n').some((line) => line.startsWith(`${name}=`)),
);

const KEYS = ['WEBHOOK_SECRET_KEY', 'AUDIT_SIGNING_KEY', 'SECOND_FACTOR_KEY', 'CONSOLE_KEY'];

/** A key of 32 bytes in base64; everything else stands in URLs as it is. */
const secret = (name) => randomBytes(32).toString(KEYS.includes(name) ? 'base64' : 'base64url');

const lines = missing.map((name) => `${name}=${secret(name)}\n`);
writeFileSync(file, kept + lines.join(''), { mode: 0o600 });
console.log(`deploy/.env: ${missing.length} secrets made, ${wanted.length - missing.length} kept`);
