import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLDER_VARIABLE, type Inside } from './inside';

/** As small as a container of a service is; what runs out of it is ended. */
const HEAP_MB = 256;
const POLL_MS = 50;
const TIMEOUT_MS = 10_000;

/** Has processes of a run do to themselves what cannot be done from outside. */
export class Insiders {
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /** For the environment of the system. */
  get environment(): Record<string, string> {
    return {
      [FOLDER_VARIABLE]: this.folder,
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --require=${path.join(__dirname, 'inside.js')}`,
    };
  }

  /** Resolves when the process has begun with it; one that is gone never does, and is let be. */
  async order(pid: number, order: Inside): Promise<void> {
    const file = path.join(this.folder, `${pid}`);
    // In one step: nobody reads half an order.
    writeFileSync(`${file}.next`, JSON.stringify(order));
    renameSync(`${file}.next`, file);
    const until_ms = Date.now() + TIMEOUT_MS;
    while (existsSync(file) && Date.now() < until_ms) await sleep(POLL_MS);
  }
}
