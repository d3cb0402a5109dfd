// Between our own services calls share one stream. The functions are the same; only the channel is
// another one, and it makes metadata and errors out of a call context and AppErrors by itself.
import { systemContext } from '@credit/platform/context';
import { createChannel } from '@credit/platform/rpc';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { addressOf, credentials, INSTITUTION } from './connect.mjs';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const channel = createChannel({
  target: addressOf('reporting'),
  logger: silent,
  credentials: credentials(),
});
const reporting = channel.stub(ReportingServiceDefinition);
const ctx = systemContext('test', {
  institution_id: INSTITUTION,
  request_id: `example-${process.pid}`,
  deadline_at_ms: Date.now() + 5_000,
});
const started_ms = performance.now();
// As many as are made in one turn of the event loop leave as one message.
const pages = await Promise.all(
  Array.from({ length: 100 }, () => reporting.listAccounts(ctx, { limit: 1 })),
);
const took_ms = Math.round(performance.now() - started_ms);
const error = await reporting
  .getAccount(ctx, { account_id: '0198a1c5-3a00-7f4e-8b2a-6d5c4b3a2f10' })
  .catch((reason) => reason);
console.log(`${pages.length} answers in ${took_ms} ms, then ${error.code}`);
channel.close();
