import { readdirSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DocumentThread,
  type DocumentThreadOptions,
} from '../../src/reports/documents/document-thread';
import { MAX_EVENTS_DRAWN } from '../../src/reports/documents/pdf';
import { materialOf } from '../support/report-material';

const REGISTER = path.join(__dirname, '../../../../packages/testing/register-typescript.cjs');

jest.setTimeout(60_000);

let threads: DocumentThread[] = [];
afterEach(async () => {
  await Promise.all(threads.map((thread) => thread.stop()));
  threads = [];
});

function start(options: DocumentThreadOptions = {}): DocumentThread {
  const thread = new DocumentThread({
    timeout_ms: 30_000,
    exec_argv: ['-r', REGISTER],
    ...options,
  });
  threads.push(thread);
  return thread;
}

/** Of this process, as the kernel counts them. */
const threadCount = () => readdirSync('/proc/self/task').length;

/** Pages are not compressed, their objects can be counted. */
const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;

describe('the thread of documents', () => {
  it('leaves the service its turn while a long report is drawn', async () => {
    const thread = start();
    const long = materialOf(5_000, 'PDF');
    // The first one loads code and fonts.
    await thread.write(materialOf(10, 'PDF'));
    const before = performance.eventLoopUtilization();
    const { content } = await thread.write(long);
    const { utilization } = performance.eventLoopUtilization(before);
    expect(content.subarray(0, 5).toString()).toBe('%PDF-');
    // Drawn in the service's own thread it would leave no turn to anybody else: close to 1.
    expect(utilization).toBeLessThan(0.5);
  });

  it('draws no more pages than somebody would read, and says where the rest is', async () => {
    const thread = start();
    const [bounded, longer] = await Promise.all([
      thread.write(materialOf(MAX_EVENTS_DRAWN + 1, 'PDF')),
      thread.write(materialOf(4 * MAX_EVENTS_DRAWN, 'PDF')),
    ]);
    expect(pagesOf(bounded.content)).toBeLessThan(60);
    expect(pagesOf(longer.content)).toBe(pagesOf(bounded.content));
    const csv = await thread.write(materialOf(2 * MAX_EVENTS_DRAWN, 'CSV'));
    expect(csv.content.toString().match(/^EVENT,/gm)).toHaveLength(2 * MAX_EVENTS_DRAWN);
  });

  it('gives up on a document that takes too long, and writes the next one', async () => {
    const options = { timeout_ms: 1_500, exec_argv: ['-r', REGISTER] };
    const thread = new DocumentThread(options);
    threads.push(thread);
    const slow = thread.write(materialOf(400_000, 'JSON'));
    await expect(slow).rejects.toThrow('took longer than 1500 ms');
    options.timeout_ms = 30_000;
    const next = await thread.write(materialOf(10, 'JSON'));
    expect(next.content.toString()).toContain('"events":[');
  });

  it('ends a thread and not the service when a document needs too much memory', async () => {
    const thread = start({ max_heap_mb: 64 });
    await expect(thread.write(materialOf(300_000, 'JSON'))).rejects.toThrow(RangeError);
    expect((await thread.write(materialOf(10, 'CSV'))).content.toString()).toContain(
      'record_type,',
    );
  });

  it('ends the thread when there is nothing to write for a while, and begins another for the next', async () => {
    const thread = start({ idle_ms: 100 });
    await thread.write(materialOf(1, 'JSON'));
    const with_it = threadCount();
    const until_ms = Date.now() + 30_000;
    while (threadCount() >= with_it && Date.now() < until_ms) await pause(20);
    expect(threadCount()).toBeLessThan(with_it);
    const next = await thread.write(materialOf(2, 'JSON'));
    expect(JSON.parse(next.content.toString()).events).toHaveLength(2);
  });

  it('writes documents that wait for each other in their order, and none after its end', async () => {
    const thread = start();
    const written = await Promise.all(
      [materialOf(1, 'JSON'), materialOf(2, 'JSON')].map((m) => thread.write(m)),
    );
    expect(written.map(({ content }) => JSON.parse(content.toString()).events.length)).toEqual([
      1, 2,
    ]);
    await thread.stop();
    await expect(thread.write(materialOf(1, 'PDF'))).rejects.toThrow('was stopped');
  });
});
