// A call that must not outlive its caller says until when; whoever it calls in turn gets what is left.
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { status } from '@grpc/grpc-js';
import { addressOf, call, callContext, clientOf } from './connect.mjs';

const client = clientOf(ReportingServiceDefinition, addressOf('reporting'));
const request = { q: 'example', limit: 10 };

/** How a call with so much time ends. */
async function ends(timeout_ms) {
  const deadline_at_ms = Date.now() + timeout_ms;
  return call(client, 'searchSubjects', request, callContext(), deadline_at_ms).then(
    () => 'OK',
    (error) => status[error.code],
  );
}

console.log(`with two seconds: ${await ends(2_000)}`);
// Already over: nothing is sent. The work of a call that ran out of time is aborted at the server.
console.log(`with none: ${await ends(-1)}`);
client.close();
