import type { CallContext } from '../context';

/**
 * A unary method as ts-proto generates it. The message types are erased: `never`
 * goes in and `unknown` comes out, so that every concrete method is assignable.
 */
export interface UnaryMethod {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: false;
  readonly requestSerialize: (value: never) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (value: never) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

/** A generated `XServiceService` constant. */
export interface UnaryService {
  readonly [method: string]: UnaryMethod;
}

/** The request message of a generated method. */
export type RequestOf<M> = M extends { requestSerialize: (value: infer Request) => Buffer }
  ? Request
  : never;

/** The response message of a generated method. */
export type ResponseOf<M> = M extends { responseDeserialize: (bytes: Buffer) => infer Response }
  ? Response
  : never;

/** What a service implements: one function for each method of its definition. */
export type Handlers<S> = {
  readonly [M in keyof S]: (
    ctx: CallContext,
    request: RequestOf<S[M]>,
  ) => Promise<ResponseOf<S[M]>>;
};

/** What a caller holds: the same functions, on the other side of the network. */
export type Stub<S> = {
  readonly [M in keyof S]: (
    ctx: CallContext,
    request: RequestOf<S[M]>,
  ) => Promise<ResponseOf<S[M]>>;
};

/** A handler without its message types; its method's codec guarantees them. */
export type ErasedHandler = (ctx: CallContext, request: unknown) => Promise<unknown>;

/** A method together with what answers it. */
export interface MethodRegistration {
  readonly path: string;
  readonly decodeRequest: (bytes: Buffer) => unknown;
  readonly encodeResponse: (response: unknown) => Buffer;
  readonly handler: ErasedHandler;
}

/** A service together with what answers it, ready to be served. */
export interface ServiceRegistration {
  /** Full name, for example `credit.disputes.v1.DisputesService`. */
  readonly name: string;
  readonly methods: readonly MethodRegistration[];
}

/** Binds a generated service definition to its handlers. */
export function serviceRegistration<S extends UnaryService>(
  definition: S,
  handlers: Handlers<S>,
): ServiceRegistration {
  const methods = Object.entries(definition).map(([name, method]) => ({
    path: method.path,
    decodeRequest: method.requestDeserialize,
    // Sound because handlers of S answer with what this very method encodes.
    encodeResponse: method.responseSerialize as (response: unknown) => Buffer,
    handler: (handlers[name] as ErasedHandler).bind(handlers),
  }));
  const [first] = methods;
  if (first === undefined) throw new Error('a service needs at least one method');
  return { name: serviceNameOf(first.path), methods };
}

/** `credit.disputes.v1.DisputesService` of `/credit.disputes.v1.DisputesService/OpenDispute`. */
export function serviceNameOf(path: string): string {
  return path.slice(1, path.lastIndexOf('/'));
}
