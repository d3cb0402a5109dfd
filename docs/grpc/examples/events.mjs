// Takes events in, as a service of another team would: a durable consumer of its own on the stream.
import { Event } from '@credit/proto/events/v1/events';
import { AckPolicy, connect, DeliverPolicy, nanos } from 'nats';
import { natsOptions } from './connect.mjs';

const STREAM = 'CREDIT';
const NAME = 'example-accounts';
const MAX_EVENTS = 100;
const WAIT_MS = 2_000;

const connection = await connect(natsOptions());
const manager = await connection.jetstreamManager();
await manager.consumers.add(STREAM, {
  durable_name: NAME,
  // All partitions of test data, one type of event.
  filter_subject: 'credit.v1.test.*.account_changed',
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(30_000),
  // This is an example: it need not be remembered for long.
  inactive_threshold: nanos(60_000),
});

const consumer = await connection.jetstream().consumers.get(STREAM, NAME);
const messages = await consumer.fetch({ max_messages: MAX_EVENTS, expires: WAIT_MS });
// Each event comes at least once. A real consumer keeps the ids, and the versions, in the
// transaction of what it does with the event.
const seen = new Set();
for await (const message of messages) {
  const event = Event.decode(message.data);
  if (!seen.has(event.id) && event.payload?.$case === 'account_changed') {
    const { account } = event.payload.value;
    console.log(
      `${message.subject}: account ${account.account_id}, version ${account.version}, ` +
        `balance ${account.balance_minor} minor units`,
    );
  }
  seen.add(event.id);
  message.ack();
}
console.log(`events: ${seen.size}`);
await connection.close();
