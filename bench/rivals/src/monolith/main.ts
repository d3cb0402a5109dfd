import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { openPool } from '../shared/database.ts';
import {
  authorise,
  type Caller,
  COUNTING_SETTINGS,
  limitHeaders,
  requireScope,
} from '../shared/identity.ts';
import { newId } from '../shared/ids.ts';
import { profileOf, readHistory, recordInquiry } from '../shared/inquiries.ts';
import { serve, setting } from '../shared/process.ts';
import { asRefused, errorBody, Refused } from '../shared/refused.ts';
import { startRelay } from '../shared/relay.ts';
import { reportEvent } from '../shared/report-event.ts';
import {
  readEvent,
  readId,
  readIdempotencyKey,
  readPurpose,
  readToken,
  requestIdOf,
} from '../shared/requests.ts';

// Everything in one process: express, and one database that it reaches all of.

const limit_per_minute = setting('RATE_LIMIT_PER_MINUTE');
const pool = openPool(setting('DB_POOL_SIZE'));
const counting_pool = openPool(setting('DB_COUNTING_POOL_SIZE'), COUNTING_SETTINGS);
const relay = startRelay(pool);

interface Locals {
  request_id: string;
  caller: Caller;
}
type Answer = Response<unknown, Locals>;

const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use((request: Request, response: Answer, next: NextFunction) => {
  response.locals.request_id = requestIdOf(request.get('x-request-id'), newId);
  response.set('X-Request-ID', response.locals.request_id);
  next();
});

app.use(async (request: Request, response: Answer, next: NextFunction) => {
  const token = readToken(request.get('authorization'));
  response.locals.caller = await authorise(counting_pool, token, limit_per_minute);
  response.set(limitHeaders(response.locals.caller));
  next();
});

app.post(
  '/api/v1/accounts/:account_id/events',
  express.json({ limit: '1mb' }),
  async (request: Request<{ account_id: string }>, response: Answer) => {
    const { caller, request_id } = response.locals;
    requireScope(caller, 'credit:report');
    const { answer, replayed } = await reportEvent(
      pool,
      {
        institution_id: caller.institution_id,
        key_id: caller.key_id,
        request_id,
        account_id: readId(request.params.account_id, 'account_id'),
        idempotency_key: readIdempotencyKey(request.get('idempotency-key')),
        command: readEvent(request.body),
      },
      { with_snapshot: true },
    );
    if (replayed) response.set('Idempotent-Replayed', 'true');
    response.status(201).type('json').send(answer);
  },
);

app.get(
  '/api/v1/credit/:subject_id',
  async (request: Request<{ subject_id: string }>, response: Answer) => {
    const { caller, request_id } = response.locals;
    requireScope(caller, 'credit:read');
    const subject_id = readId(request.params.subject_id, 'subject_id');
    const [file, history] = await Promise.all([
      recordInquiry(pool, {
        institution_id: caller.institution_id,
        key_id: caller.key_id,
        request_id,
        subject_id,
        purpose: readPurpose(request.query['purpose']),
      }),
      readHistory(pool, subject_id),
    ]);
    response.json(profileOf(file, history));
  },
);

app.use(() => {
  throw new Refused(404, 'NOT_FOUND', 'There is no such route.');
});

app.use((error: unknown, _request: Request, response: Answer, _next: NextFunction) => {
  const refused = isMalformed(error)
    ? new Refused(400, 'BAD_REQUEST', 'The body is no JSON.')
    : asRefused(error);
  response.status(refused.status).type('json').send(errorBody(refused, response.locals.request_id));
});

/** What express's own reader of bodies throws. */
function isMalformed(error: unknown): boolean {
  return (error as { type?: string }).type === 'entity.parse.failed';
}

const server = app.listen(0, '127.0.0.1', () => {
  serve((server.address() as AddressInfo).port, async () => {
    server.close();
    server.closeAllConnections();
    await relay.stop();
    await Promise.all([pool.end(), counting_pool.end()]);
  });
});
