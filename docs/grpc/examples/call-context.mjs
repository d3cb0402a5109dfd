// Who calls, for which institution and on which data, travels in metadata: a message never says it.
import { randomUUID } from 'node:crypto';
import { ReportingServiceDefinition } from '@credit/proto/reporting/v1/reporting';
import { SubjectType } from '@credit/proto/reporting/v1/types';
import { addressOf, call, callContext, clientOf } from './connect.mjs';

const client = clientOf(ReportingServiceDefinition, addressOf('reporting'));

const game_uuid = randomUUID();
const created = await call(
  client,
  'createSubject',
  {
    type: SubjectType.INDIVIDUAL,
    game_uuid,
    current_username: `example-${game_uuid.slice(0, 8)}`,
  },
  callContext(),
);
console.log(`created ${created.answer.subject.display_name} in test data`);

// The same question about live data: there is no such subject there.
const live = callContext({ 'credit-environment': 'live' });
const refused = await call(client, 'getSubjectByGameUuid', { game_uuid }, live).catch(
  (error) => error,
);
console.log(`live data: ${refused.details}`);
client.close();
