import type { Context } from 'moleculer';
import { openPool } from '../shared/database.ts';
import { type InquiryRequest, recordInquiry, type SubjectFile } from '../shared/inquiries.ts';
import { setting } from '../shared/process.ts';
import { startRelay } from '../shared/relay.ts';
import { type Reported, type ReportRequest, reportEvent } from '../shared/report-event.ts';
import { startService } from './broker.ts';
import { refusing } from './errors.ts';

const pool = openPool(setting('DB_POOL_SIZE'));
let relay: ReturnType<typeof startRelay> | undefined;

await startService({
  name: 'reporting',
  actions: {
    reportEvent: (ctx: Context<ReportRequest>): Promise<Reported> =>
      refusing(() => reportEvent(pool, ctx.params, { with_snapshot: false })),
    recordInquiry: (ctx: Context<InquiryRequest>): Promise<SubjectFile> =>
      refusing(() => recordInquiry(pool, ctx.params)),
  },
  // A batch stays in the outbox until scoring has it: a call, for an emitted event may be lost.
  started() {
    relay = startRelay(pool, async (changes) => {
      if (changes.length > 0) await this.broker.call('scoring.recordSnapshots', { changes });
    });
  },
  async stopped() {
    await relay?.stop();
    await pool.end();
  },
});
