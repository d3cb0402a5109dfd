import { randomUUID } from 'node:crypto';

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
  readonly headers?: Record<string, string>;
}

/** How long a call that failed for the moment is made again. 0: never. */
export interface Patience {
  readonly patience_ms: number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

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
    const until_ms = Date.now() + this.patience.patience_ms;
    for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS)) {
      const answer = await this.send<Body>(method, path, options).catch((error: unknown) => {
        if (Date.now() + pause_ms > until_ms) throw error;
        return undefined;
      });
      const momentary = answer === undefined || answer.status === 429 || answer.status >= 500;
      if (answer !== undefined && (!momentary || Date.now() + pause_ms > until_ms)) return answer;
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  }

  private async send<Body>(
    method: string,
    path: string,
    options: RequestOptions,
  ): Promise<Answer<Body>> {
    const token = options.token ?? this.token;
    const response = await fetch(`${this.base_url}${path}`, {
      method,
      headers: {
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...options.headers,
      },
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
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
