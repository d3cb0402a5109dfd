import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@credit/platform/values';

/** Parsed JSON of the API: the tests say what they expect of it. */
// biome-ignore lint/suspicious/noExplicitAny: a journey reads answers as a caller without types does
export type Json = Record<string, any>;

/** An answer of the API, with its JSON body (undefined when there is none). */
export interface Answer<Body = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
}

/** What a request may carry. */
export interface RequestOptions {
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of a body. */
  readonly file?: { readonly type: string; readonly text: string };
  readonly headers?: Record<string, string>;
}

/** How long a call that failed for the moment is made again. 0: never. */
export interface Patience {
  readonly patience_ms: number;
  /** Ends calls and pauses alike. */
  readonly signal?: AbortSignal;
  /** Hears what a call failed of, and after how long it is made again. */
  readonly onPause?: (why: string, pause_ms: number) => void;
}

const BACKOFF = { first_ms: 100, longest_ms: 2_000 };
const LONGEST_ASKED_MS = 3_600_000;
const CALL_TIMEOUT_MS = 60_000;

/** Speaks JSON to the API, as a lender's system does. */
export class Client {
  constructor(
    readonly base_url: string,
    readonly token?: string,
    readonly patience: Patience = { patience_ms: 0 },
  ) {}

  /** The same API with another credential. */
  as(token: string): Client {
    return new Client(this.base_url, token, this.patience);
  }

  /**
   * One call. With patience, an unreachable API, a 429 and a 500 are met by the
   * same call again, which is what idempotency keys are for.
   */
  async request<Body = Json>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<Body>> {
    const { patience_ms, signal, onPause } = this.patience;
    const until_ms = Date.now() + patience_ms;
    for (let failures = 1; ; failures += 1) {
      let pause_ms = backoffMs(BACKOFF, failures);
      let why: string;
      try {
        const answer = await this.send<Body>(method, path, options);
        if (answer.status !== 429 && answer.status < 500) return answer;
        pause_ms = Math.max(pause_ms, askedPauseMs(answer.headers));
        if (Date.now() + pause_ms > until_ms) return answer;
        why = `${answer.status}`;
      } catch (error) {
        if (signal?.aborted === true || Date.now() + pause_ms > until_ms) throw error;
        why = failureOf(error);
      }
      onPause?.(why, pause_ms);
      await sleep(pause_ms, undefined, { signal });
    }
  }

  private async send<Body>(
    method: string,
    path: string,
    options: RequestOptions,
  ): Promise<Answer<Body>> {
    const token = options.token ?? this.token;
    const given = this.patience.signal === undefined ? [] : [this.patience.signal];
    const response = await fetch(`${this.base_url}${path}`, {
      method,
      headers: {
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.file === undefined ? {} : { 'content-type': options.file.type }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...options.headers,
      },
      body: options.file?.text ?? textOf(options.body),
      signal: AbortSignal.any([AbortSignal.timeout(CALL_TIMEOUT_MS), ...given]),
    });
    const text = await response.text();
    const is_json = response.headers.get('content-type')?.startsWith('application/json') === true;
    return {
      status: response.status,
      headers: response.headers,
      body: is_json && text !== '' ? JSON.parse(text) : undefined,
      text,
    } as Answer<Body>;
  }

  /** The request's body, after checking its status. */
  async expect<Body = Json>(
    status: number,
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Body> {
    const answer = await this.request<Body>(method, path, options);
    if (answer.status !== status) {
      throw new Error(`${method} ${path}: ${answer.status}, expected ${status}: ${answer.text}`);
    }
    return answer.body;
  }

  get = <Body = Json>(path: string) => this.expect<Body>(200, 'GET', path);
  create = <Body = Json>(path: string, body: unknown, key?: string) =>
    this.expect<Body>(201, 'POST', path, {
      body,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
}

/** What `Retry-After` asks for, in seconds as the network gives it. */
function askedPauseMs(headers: Headers): number {
  const asked_s = Number(headers.get('retry-after'));
  return Number.isFinite(asked_s) ? Math.min(asked_s * 1_000, LONGEST_ASKED_MS) : 0;
}

/** In a word, and nothing of what was answered. */
function failureOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'no JSON';
  const { cause, name } = error as { cause?: { code?: unknown }; name?: string };
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'failed');
}

function textOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

/** A member institution with an owner's session and a key for everything. */
export interface Member {
  readonly institution_id: string;
  readonly owner: Client;
  readonly key: Client;
  readonly key_id: string;
}

export const ALL_SCOPES = [
  'credit:read',
  'credit:report',
  'accounts:write',
  'events:write',
  'reports:request',
  'webhooks:manage',
];

/** Logs a user in. */
export async function logIn(client: Client, email: string, password: string): Promise<Client> {
  const session = await client.expect(200, 'POST', '/auth/login', { body: { email, password } });
  return client.as(session.access_token);
}

/** Application, approval, invitation, login and key: all that makes a member. */
export async function enrol(
  anonymous: Client,
  administrator: Client,
  name: string,
  environment: 'live' | 'test' = 'live',
): Promise<Member> {
  const email = `owner-${randomUUID()}@member.example`;
  const password = `correct horse ${randomUUID()}`;
  const application = await anonymous.create('/public/institution-applications', {
    institution_name: name,
    contact_name: 'Olga Owner',
    contact_email: email,
  });
  const review = await administrator.expect(200, 'PATCH', `/admin/applications/${application.id}`, {
    // Run again on the same system it makes another lender of the same name.
    body: { status: 'APPROVED', confirm_distinct: true },
  });
  await anonymous.create('/auth/accept-invitation', {
    token: review.invitation.token,
    display_name: 'Olga Owner',
    password,
  });
  const owner = await logIn(anonymous, email, password);
  const key = await owner.create('/api-keys', {
    display_name: 'ledger',
    scopes: ALL_SCOPES,
    environment,
  });
  return {
    institution_id: review.institution.id,
    owner,
    key: anonymous.as(key.secret),
    key_id: key.id,
  };
}
