import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { type Caller, limitHeaders, requireScope } from '../shared/identity.ts';
import { newId } from '../shared/ids.ts';
import type { InquiryRequest } from '../shared/inquiries.ts';
import { setting } from '../shared/process.ts';
import { errorBody } from '../shared/refused.ts';
import type { Reported, ReportRequest } from '../shared/report-event.ts';
import {
  readEvent,
  readId,
  readIdempotencyKey,
  readPurpose,
  readToken,
  requestIdOf,
} from '../shared/requests.ts';
import { startService } from './broker.ts';
import { refusalOf, refusing } from './errors.ts';

/** A request as moleculer-web hands it on, with what the route adds to it. */
interface GatewayRequest extends IncomingMessage {
  $ctx: Context;
  /** Kept apart: `mergeParams` is off. */
  $params: {
    params: Record<string, string>;
    query: Record<string, unknown>;
    body: unknown;
  };
  request_id: string;
  caller: Caller;
}
type Next = (error: unknown) => void;

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function reportEvent(request: GatewayRequest, response: ServerResponse): Promise<void> {
  const { caller, request_id, $params, $ctx } = request;
  requireScope(caller, 'credit:report');
  const { answer, replayed } = await $ctx.call<Reported, ReportRequest>('reporting.reportEvent', {
    institution_id: caller.institution_id,
    key_id: caller.key_id,
    request_id,
    account_id: readId($params.params['account_id'], 'account_id'),
    idempotency_key: readIdempotencyKey(header(request, 'idempotency-key')),
    command: readEvent($params.body),
  });
  if (replayed) response.setHeader('Idempotent-Replayed', 'true');
  send(response, 201, answer);
}

async function getProfile(request: GatewayRequest, response: ServerResponse): Promise<void> {
  const { caller, request_id, $params, $ctx } = request;
  requireScope(caller, 'credit:read');
  const profile = await $ctx.call<unknown, InquiryRequest>('scoring.getProfile', {
    institution_id: caller.institution_id,
    key_id: caller.key_id,
    request_id,
    subject_id: readId($params.params['subject_id'], 'subject_id'),
    purpose: readPurpose($params.query['purpose']),
  });
  send(response, 200, JSON.stringify(profile));
}

const port = setting('GATEWAY_PORT');
// The package's types leave most of it out.
const settings: ServiceSettingSchema & Record<string, unknown> = {
  ip: '127.0.0.1',
  port,
  routes: [
    {
      path: '/api/v1',
      mappingPolicy: 'restrict',
      mergeParams: false,
      authorization: true,
      bodyParsers: { json: { limit: '1mb' } },
      aliases: {
        'POST accounts/:account_id/events': (
          request: GatewayRequest,
          response: ServerResponse,
          next: Next,
        ) => void refusing(() => reportEvent(request, response)).catch(next),
        'GET credit/:subject_id': (request: GatewayRequest, response: ServerResponse, next: Next) =>
          void refusing(() => getProfile(request, response)).catch(next),
      },
      onBeforeCall(
        _ctx: Context,
        _route: unknown,
        request: GatewayRequest,
        response: ServerResponse,
      ) {
        request.request_id = requestIdOf(header(request, 'x-request-id'), newId);
        response.setHeader('X-Request-ID', request.request_id);
      },
      onError(request: GatewayRequest, response: ServerResponse, error: unknown) {
        const refused = refusalOf(error);
        send(response, refused.status, errorBody(refused, request.request_id));
      },
    },
  ],
};

await startService(
  {
    name: 'gateway',
    mixins: [ApiGateway],
    settings,
    methods: {
      async authorize(
        ctx: Context,
        _route: unknown,
        request: GatewayRequest,
        response: ServerResponse,
      ) {
        request.caller = await refusing(async () => {
          const token = readToken(header(request, 'authorization'));
          return ctx.call<Caller, { token: string }>('identity.authorise', { token });
        });
        response.setHeaders(new Map(Object.entries(limitHeaders(request.caller))));
      },
    },
  },
  { needs: ['identity', 'reporting', 'scoring'], port },
);
