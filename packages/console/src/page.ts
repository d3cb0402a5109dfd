import { type OperationId, type Operations, operations, type WireOf } from '@credit/contract';
import type { Html } from '@credit/pages';
import type { Request, Response } from 'express';
import type { Answer, Caller, Deliver, Given, Invoke } from './api';
import type { Tokens } from './session';

/** Where the console is. */
export const CONSOLE = '/console';

export type Environment = 'live' | 'test';

/** The user who reads: as GET /auth/me tells it. */
export type Reader = Extract<WireOf<Operations['getCaller']>, { type: 'user' }>;

/** Whether a reader's role has a permission; some roles have some on test data alone. */
export function permits(
  { permissions, test_permissions }: Reader,
  permission: Reader['permissions'][number],
  environment: Environment,
): boolean {
  if (permissions.includes(permission)) return true;
  return environment === 'test' && test_permissions.includes(permission);
}

/** A page's content; a component's, before it is written out. */
export type Content = Html | Promise<Html>;

/** What a screen answers with: a page, or the way to another. */
export type View =
  | {
      readonly title: string;
      readonly body: Content;
      /** 200 unless given. */
      readonly status?: number;
    }
  | {
      /** Below the console's path; a form that did its work leads on. */
      readonly location: string;
    }
  | {
      /** A text to keep as a file. */
      readonly file: { readonly name: string; readonly type: string; readonly text: string };
    }
  /** A document, which is on its way already. */
  | 'SENT';

/** The fields of a form as they were sent; of several with one name, all. */
export class Form {
  readonly #fields: ReadonlyMap<string, readonly string[]>;

  constructor(body: unknown) {
    const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
    this.#fields = new Map(
      entries.map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(String)]),
    );
  }

  /** A field's text; empty when it was not sent. */
  text(name: string): string {
    return this.#fields.get(name)?.[0] ?? '';
  }

  /** A field's text; undefined when it is empty, as fields that may be left out are. */
  given(name: string): string | undefined {
    const text = this.text(name).trim();
    return text === '' ? undefined : text;
  }

  all(name: string): readonly string[] {
    return this.#fields.get(name) ?? [];
  }
}

/** Whether a script asks, for a part of a page. */
export const asksForPart = (request: Request): boolean => request.get('hx-request') === 'true';

/** What is known of the request that a screen answers. */
export interface PageParts {
  readonly request: Request;
  readonly response: Response;
  readonly request_id: string;
  readonly environment: Environment;
  readonly token: string | undefined;
  readonly form_token: string;
  readonly invoke: Invoke;
  /** Begins a session with what a sign-in gave. */
  readonly begin: (tokens: Tokens) => void;
}

/** A request for a page. */
export class Visit {
  readonly request: Request;
  readonly response: Response;
  readonly request_id: string;
  readonly environment: Environment;
  /** Goes into every form, and is asked of it when it comes back. */
  readonly form_token: string;
  readonly form: Form;
  readonly #token: string | undefined;
  readonly #invoke: Invoke;
  /** Begins a session with what a sign-in gave. */
  readonly begin: (tokens: Tokens) => void;

  constructor(parts: PageParts) {
    this.request = parts.request;
    this.response = parts.response;
    this.request_id = parts.request_id;
    this.environment = parts.environment;
    this.form_token = parts.form_token;
    this.form = new Form(parts.request.body);
    this.#token = parts.token;
    this.#invoke = parts.invoke;
    this.begin = parts.begin;
  }

  /** Whether a script asks, for a part of the page that is shown. */
  get is_part(): boolean {
    return asksForPart(this.request);
  }

  /** A part of the path. */
  param(name: string): string {
    const value = this.request.params[name];
    return typeof value === 'string' ? value : '';
  }

  /** Where this is below the console's path, whichever environment it is of. */
  get path(): string {
    return this.request.path.replace(/^\/test(?=\/|$)/, '') || '/';
  }

  /** A parameter of the query; undefined when it is empty, repeated or not there. */
  query(name: string): string | undefined {
    const value = this.request.query[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  }

  /** Carries an operation out for the reader, in the page's environment. */
  call<Id extends OperationId>(id: Id, given: Given = {}): Promise<Answer<Id>> {
    return this.callWith(this.#token, id, given);
  }

  /** As {@link call}, with a token that the reader has of somewhere else. */
  callWith<Id extends OperationId>(
    token: string | undefined,
    id: Id,
    given: Given,
  ): Promise<Answer<Id>> {
    return this.#invoke(id, this.givenHere(id, given), this.callerWith(token));
  }

  /** What an operation is given by a page of this environment. */
  protected givenHere(id: OperationId, given: Given): Given {
    const { query } = operations[id] as { readonly query?: object };
    const switches = this.environment === 'test' && query !== undefined && 'environment' in query;
    return switches ? { ...given, query: { ...given.query, environment: 'test' } } : given;
  }

  protected callerWith(token: string | undefined): Caller {
    const { request, response, request_id } = this;
    return { request, response, request_id, token };
  }

  /** A path below the console's, in the page's environment. */
  href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
    return hrefIn(this.environment, path, query);
  }
}

/** A visit of a page outside the console. */
export class PublicVisit extends Visit {
  override href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
    return withQuery(path, query);
  }
}

/** A visit of somebody who is signed in. */
export class Page extends Visit {
  readonly me: Reader;
  readonly #token: string | undefined;
  readonly #deliver: Deliver;

  constructor(parts: PageParts, me: Reader, deliver: Deliver) {
    super(parts);
    this.me = me;
    this.#token = parts.token;
    this.#deliver = deliver;
  }

  /** Answers with the document of an operation, which is carried out for the reader. */
  async send(id: OperationId, given: Given): Promise<'SENT'> {
    await this.#deliver(id, this.givenHere(id, given), this.callerWith(this.#token));
    return 'SENT';
  }

  /** Whether the reader's role has the permission, in the page's environment. */
  may(permission: Reader['permissions'][number]): boolean {
    return permits(this.me, permission, this.environment);
  }

  get is_administrator(): boolean {
    return this.me.platform_role !== null;
  }
}

export function hrefIn(
  environment: Environment,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  return withQuery(`${CONSOLE}${environment === 'test' ? '/test' : ''}${path}`, query);
}

/** Where to go on: a page of the console and nothing else. */
export function localPath(asked: string | undefined): string {
  const is_ours = asked !== undefined && /^\/console(?:[/?][\w\-./?=&%~:+]*)?$/.test(asked);
  return is_ours && !asked.includes('//') ? asked : CONSOLE;
}

/** A path with what is given of a query. */
function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
