import type { CallContext } from '@credit/platform/context';
import { conflict, invalid, notFound, rateLimited, unavailable } from '@credit/platform/errors';
import type { CountRejectionsRequest } from '@credit/proto/reporting/v1/reporting';
import { RejectionLog } from './rejection-log';

const LENDER = '0198a1c2-6f00-7c3a-9d51-3f0e8b6a2c11';
const of = (request_id: string, change: object = {}) => ({
  institution_id: LENDER,
  environment: 'live' as const,
  operation_id: 'reportEvents',
  request_id,
  ...change,
});

function log(fail = false) {
  const sent: { environment: string; rejections: object[] }[] = [];
  const warned: object[] = [];
  const reporting = {
    countRejections: async (ctx: CallContext, { rejections }: CountRejectionsRequest) => {
      if (fail) throw unavailable('away');
      sent.push({ environment: ctx.environment, rejections });
      return {};
    },
  };
  const logger = { warn: (fields: object) => void warned.push(fields) };
  return { log: new RejectionLog(reporting, logger as never), sent, warned };
}

test('counts items by cause, and keeps the last request', async () => {
  const { log: rejections, sent } = log();
  rejections.note(
    of('one'),
    invalid([
      { path: 'events[0].amount', message: 'x' },
      { path: 'events[7].amount', message: 'x' },
      { path: 'events[7].amount', message: 'y' },
      { path: 'events[7].occurred_at', message: 'x' },
    ]),
  );
  rejections.note(of('two'), invalid('events[1].amount', 'x'));
  rejections.note(
    of('three', { environment: 'test', operation_id: 'createAccount' }),
    conflict('there is one', { reason: 'EXTERNAL_ID_TAKEN' }),
  );
  await rejections.flush();
  const cause = { institution_id: LENDER, operation: 'reportEvents', reason: 'INVALID_FIELDS' };
  expect(sent).toEqual([
    {
      environment: 'live',
      rejections: [
        { ...cause, field: 'events[].amount', count: 3n, request_id: 'two' },
        { ...cause, field: 'events[].occurred_at', count: 1n, request_id: 'one' },
      ],
    },
    {
      environment: 'test',
      rejections: [
        {
          institution_id: LENDER,
          operation: 'createAccount',
          reason: 'EXTERNAL_ID_TAKEN',
          field: '',
          count: 1n,
          request_id: 'three',
        },
      ],
    },
  ]);
});

test('leaves out what is no fault of a report, and whoever reports nothing', async () => {
  const { log: rejections, sent } = log();
  rejections.note(of('a'), unavailable('away'));
  rejections.note(of('b'), rateLimited('wait', 1));
  rejections.note(of('c'), notFound('nothing'));
  rejections.note(of('d', { operation_id: 'getCreditProfile' }), invalid('purpose', 'x'));
  rejections.note(of('e', { institution_id: '' }), invalid('events', 'x'));
  await rejections.flush();
  expect(sent).toEqual([]);
});

test('has a bound, and lets go what cannot be told', async () => {
  const { log: rejections, sent } = log();
  for (let n = 0; n < 700; n += 1) rejections.note(of(`${n}`), invalid(`field_${n}`, 'x'));
  rejections.note(of('long'), invalid('x'.repeat(5_000), 'x'));
  await rejections.flush();
  expect(sent[0]?.rejections).toHaveLength(501);
  expect(sent[0]?.rejections.at(-1)).toEqual({
    institution_id: LENDER,
    operation: '',
    reason: '',
    field: '',
    count: 201n,
    request_id: 'long',
  });
  const away = log(true);
  away.log.note(of('x'), invalid('events', 'x'));
  await away.log.flush();
  expect(away.warned).toEqual([{ reason: 'away', causes: 1 }]);
});
