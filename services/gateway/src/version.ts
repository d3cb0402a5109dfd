import { readFileSync } from 'node:fs';
import path from 'node:path';

const manifest: { version: string } = JSON.parse(
  readFileSync(path.join(__dirname, '../package.json'), 'utf8'),
);

/** Of the software that runs. */
export const VERSION = manifest.version;
