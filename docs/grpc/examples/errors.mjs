// An error of the application comes in a trailer: its code, and the fields that are wrong.
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { AccountType } from '@credit/proto/reporting/v1/types';
import { Error as ApplicationError } from '@credit/proto/rpc/v1/tunnel';
import { status } from '@grpc/grpc-js';
import { addressOf, call, callContext, clientOf } from './connect.mjs';

const client = clientOf(ReportingServiceDefinition, addressOf('reporting'));

/** Decide by the code in the trailer; the gRPC status is for retry policies and logs. */
async function reasonOf(method, request, context = callContext()) {
  const failed = await call(client, method, request, context).catch((error) => error);
  const [trailer] = failed.metadata.get('credit-error-bin');
  const { code, message, details } = ApplicationError.decode(trailer);
  const fields = details.map(({ path, message: fault }) => `${path} ${fault}`).join('; ');
  return `${status[failed.code]} ${code}: ${message}${fields && ` [${fields}]`}`;
}

const unknown = '0198a1c4-11aa-7e02-8c61-7a5b4c3d2e1f';
console.log(await reasonOf('getSubject', { subject_id: unknown }));
console.log(
  await reasonOf(
    'createAccount',
    {
      account: {
        subject_id: unknown,
        external_account_id: 'loan-1',
        account_type: AccountType.TERM_LOAN,
        original_principal_minor: 250_000n,
        opened_at: '2030-02-01T00:00:00.000Z',
      },
    },
    callContext({ 'idempotency-key': `example-${process.pid}` }),
  ),
);
client.close();
