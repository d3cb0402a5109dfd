import type { ErrorCode } from '@credit/platform/errors';
import type { z } from 'zod';
import {
  type Access,
  choosesEnvironment,
  ENVIRONMENT_PARAMETER,
  type LimitClassName,
} from './access';
import { compileEncoder, type Encodable, type Encoder } from './encoder';
import type { Priority } from './priority';
import type { RpcMethod } from './rpc-method';
import type { TagName } from './tags';
import { type Inside, request, type Shape } from './wire';

/** The names in braces of a path. */
type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** A schema for each name of the path. */
type ParamsFor<Path extends string> = Readonly<Record<ParamNames<Path>, z.ZodType>>;

/**
 * PAGE: the handler gives items and a cursor. COUNTED_PAGE: and the count of all. CHANGES_PAGE: and,
 * of a walk through changes, where the next one begins.
 */
export type Paging = 'PAGE' | 'COUNTED_PAGE' | 'CHANGES_PAGE';

/** All that is said about an operation, once. */
export interface Declaration<
  Id extends string,
  Path extends string,
  Params extends ParamsFor<Path>,
  Query extends Shape,
  Body extends z.ZodType | undefined,
  Response extends z.ZodType | undefined,
  Page extends Paging | undefined,
> {
  readonly id: Id;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base path. */
  readonly path: Path;
  readonly tag: TagName;
  /** The gRPC methods that serve it, in the order of their calls; none when the gateway does. */
  readonly rpc: readonly RpcMethod[];
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  readonly limit_class: LimitClassName;
  /** What it is worth under overload, where its kind does not tell. */
  readonly priority?: Priority;
  /**
   * What it shows may be some seconds old: a replica may answer it. Of reads alone, and never of what
   * somebody decides by: profiles, scores, rights, what is open.
   */
  readonly may_lag?: true;
  /** Needs an Idempotency-Key and replays. */
  readonly idempotent?: true;
  /**
   * Takes no Idempotency-Key, but its service replays by one: the gateway makes one for each request, and
   * repeats under it what a process that ended may have done.
   */
  readonly repeated_by_gateway?: true;
  readonly params: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** In place of a body: a file of one of these content types, taken in as it comes. */
  readonly upload?: {
    readonly types: readonly string[];
    readonly max_bytes: number;
    readonly example: { readonly type: string; readonly text: string };
  };
  /** The array of the body that is a batch, and its bound: more is 413. */
  readonly batch?: { readonly field: string; readonly max: number };
  readonly status: 200 | 201 | 202 | 204;
  readonly response?: Response;
  /** In place of a response: a document of one of these content types, handed through as it comes. */
  readonly stream?: readonly string[];
  /** Of a stream: it is whole before it is sent, and its digest comes with it. */
  readonly digested?: true;
  readonly paging?: Page;
  /** Beside those that follow from access, body and limits. */
  readonly errors: readonly ErrorCode[];
  readonly examples: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly response?: unknown;
  };
}

/** An operation, ready to be interpreted. */
export interface Operation<
  Id extends string = string,
  Path extends string = string,
  Params extends ParamsFor<Path> = ParamsFor<Path>,
  Query extends Shape = Shape,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Response extends z.ZodType | undefined = z.ZodType | undefined,
  Page extends Paging | undefined = Paging | undefined,
> extends Declaration<Id, Path, Params, Query, Body, Response, Page> {
  readonly params_schema: z.ZodType<Inside<Params>>;
  readonly query_schema: z.ZodType<Inside<Query>>;
  /** Writes the response's body; undefined without one. */
  readonly encode: Encoder<unknown> | undefined;
}

/** Declares an operation and compiles what its interpreter needs. */
export function operation<
  const Id extends string,
  const Path extends string,
  Params extends ParamsFor<Path>,
  Query extends Shape = Record<never, z.ZodType>,
  Body extends z.ZodType | undefined = undefined,
  Response extends z.ZodType | undefined = undefined,
  Page extends Paging | undefined = undefined,
>(
  declaration: Declaration<Id, Path, Params, Query, Body, Response, Page>,
): Operation<Id, Path, Params, Query, Body, Response, Page> {
  // The interpreter takes the environment out again: the type says what a handler is given.
  const query = {
    ...declaration.query,
    ...(choosesEnvironment(declaration.access) ? ENVIRONMENT_PARAMETER : {}),
  } as unknown as Query;
  return {
    ...declaration,
    query,
    params_schema: request(declaration.params),
    query_schema: request(query),
    encode:
      declaration.response === undefined
        ? undefined
        : (compileEncoder(declaration.response) as Encoder<unknown>),
  };
}

/** What a handler is given, and what it owes. */
export type ParamsOf<Op> = Op extends { params_schema: z.ZodType<infer Params> } ? Params : never;
export type QueryOf<Op> = Op extends { query_schema: z.ZodType<infer Query> } ? Query : never;
export type BodyOf<Op> = Op extends { readonly body?: infer Body }
  ? Body extends z.ZodType
    ? z.output<Body>
    : undefined
  : undefined;

type ResponseOf<Op> = Op extends { readonly response?: infer Response }
  ? Response extends z.ZodType
    ? Encodable<z.output<Response>>
    : undefined
  : undefined;

export interface PageOf<Items> {
  readonly items: Items;
  readonly next_cursor?: string | undefined;
  /** The query parameter that takes the cursor; `cursor` when left out. */
  readonly cursor_parameter?: 'after';
}
export interface CountedPageOf<Items> extends PageOf<Items> {
  readonly total_count: number;
}

export interface ChangesPageOf<Items> extends PageOf<Items> {
  /** What updated_since is to be in the walk after this one. */
  readonly next_updated_since?: string | undefined;
}

export type ResultOf<Op> = Op extends { readonly paging?: infer Page }
  ? Page extends 'COUNTED_PAGE'
    ? CountedPageOf<ResponseOf<Op>>
    : Page extends 'CHANGES_PAGE'
      ? ChangesPageOf<ResponseOf<Op>>
      : Page extends 'PAGE'
        ? PageOf<ResponseOf<Op>>
        : ResponseOf<Op>
  : never;

/** An answer's body as it goes over the wire; undefined where there is none. */
export type WireOf<Op> = Op extends { readonly response?: infer Response }
  ? Response extends z.ZodType
    ? z.input<Response>
    : undefined
  : undefined;
