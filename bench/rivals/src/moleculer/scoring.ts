import type { Context } from 'moleculer';
import { openPool } from '../shared/database.ts';
import {
  type InquiryRequest,
  profileOf,
  readHistory,
  type SubjectFile,
} from '../shared/inquiries.ts';
import { setting } from '../shared/process.ts';
import type { Change } from '../shared/relay.ts';
import { recordSnapshots } from '../shared/snapshots.ts';
import { startService } from './broker.ts';
import { refusing } from './errors.ts';

const pool = openPool(setting('DB_POOL_SIZE'));

await startService({
  name: 'scoring',
  actions: {
    getProfile: (ctx: Context<InquiryRequest>) =>
      refusing(async () => {
        const [file, history] = await Promise.all([
          ctx.call<SubjectFile, InquiryRequest>('reporting.recordInquiry', ctx.params),
          readHistory(pool, ctx.params.subject_id),
        ]);
        return profileOf(file, history);
      }),
    recordSnapshots: (ctx: Context<{ changes: Change[] }>) =>
      refusing(() => recordSnapshots(pool, ctx.params.changes)),
  },
  stopped: () => pool.end(),
});
