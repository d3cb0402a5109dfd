// Reporting takes an idempotency key in metadata; a repeated call replays the first answer.
import { randomUUID } from 'node:crypto';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { AccountType, SubjectType } from '@credit/proto/reporting/v1/types';
import { addressOf, call, callContext, clientOf } from './connect.mjs';

const client = clientOf(ReportingServiceDefinition, addressOf('reporting'));

const game_uuid = randomUUID();
const { answer } = await call(
  client,
  'createSubject',
  { type: SubjectType.INDIVIDUAL, game_uuid, current_username: `example-${game_uuid.slice(0, 8)}` },
  callContext(),
);
const account = {
  subject_id: answer.subject.id,
  external_account_id: `loan-${game_uuid}`,
  account_type: AccountType.TERM_LOAN,
  // Amounts are whole minor units: 2,500.00.
  original_principal_minor: 250_000n,
  opened_at: '2026-01-10T00:00:00.000Z',
};

const context = callContext({ 'idempotency-key': `open-${game_uuid}` });
const first = await call(client, 'createAccount', { account }, context);
const second = await call(client, 'createAccount', { account }, context);
console.log(`one account: ${first.answer.account.id === second.answer.account.id}`);
console.log(`replayed: ${second.trailers['idempotent-replayed']}`);

// The key belongs to that request: with another one it is refused.
const changed = { ...account, original_principal_minor: 260_000n };
const refused = await call(client, 'createAccount', { account: changed }, context).catch(
  (error) => error,
);
console.log(`changed: ${refused.details}`);
client.close();
