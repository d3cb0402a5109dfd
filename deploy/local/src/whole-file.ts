import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file whole or not at all, wherever the process is killed; for its owner only. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
