// What runs in the thread of documents: one document at a time, at less than the service's priority.

import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type Material, writeDocument } from './write';

/** A document, or why there is none. */
export type ThreadAnswer =
  | { readonly content: Uint8Array; readonly sha256: Uint8Array }
  | { readonly too_large: boolean; readonly message: string };

const LOW_PRIORITY = 10;

/** On Linux a thread has a priority of its own; elsewhere this is the whole process, which keeps its. */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    const [, thread_id] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (thread_id !== undefined) setPriority(Number(thread_id), LOW_PRIORITY);
  } catch {
    // Without it documents only are as important as requests.
  }
}

giveWay();
parentPort?.on('message', (material: Material) => {
  void writeDocument(material).then(
    (document) => {
      const sha256 = createHash('sha256').update(document).digest();
      // A copy of its own memory, which can be handed over.
      const content = new Uint8Array(document);
      const answer: ThreadAnswer = { content, sha256 };
      parentPort?.postMessage(answer, [content.buffer]);
    },
    (error: unknown) => {
      const answer: ThreadAnswer = {
        too_large: error instanceof RangeError,
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
      parentPort?.postMessage(answer);
    },
  );
});
