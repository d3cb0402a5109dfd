import type { CallContext } from '../context';

/** How messages of a type become bytes, as ts-proto generates it. */
export interface MessageCodec<Message> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

/** A unary method of a generated definition, its message types erased. */
export interface UnaryMethod {
  readonly name: string;
  readonly requestType: MessageCodec<unknown>;
  readonly responseType: MessageCodec<unknown>;
  readonly requestStream: false;
  readonly responseStream: false;
}

/** A generated `XDefinition` constant, or a part of one. */
export interface UnaryService {
  /** For example `credit.disputes.v1.DisputesService`. */
  readonly fullName: string;
  readonly methods: { readonly [method: string]: UnaryMethod };
}

/** The request message of a generated method. */
export type RequestOf<M> = M extends { requestType: MessageCodec<infer Request> } ? Request : never;

/** The response message of a generated method. */
export type ResponseOf<M> = M extends { responseType: MessageCodec<infer Response> }
  ? Response
  : never;

/** What a service implements: one function for each method of its definition. */
export type Handlers<S extends UnaryService> = {
  readonly [M in keyof S['methods']]: (
    ctx: CallContext,
    request: RequestOf<S['methods'][M]>,
  ) => Promise<ResponseOf<S['methods'][M]>>;
};

/** What a caller holds: the same functions, on the other side of the network. */
export type Stub<S extends UnaryService> = Handlers<S>;

/** A definition of some of a service's methods. */
export function unaryPart<
  D extends { readonly fullName: string; readonly methods: object },
  M extends keyof D['methods'],
>(
  { fullName, methods }: D,
  ...names: readonly M[]
): { readonly fullName: D['fullName']; readonly methods: Pick<D['methods'], M> } {
  const part = Object.fromEntries(
    names.map((name) => [name, (methods as D['methods'])[name]]),
  ) as Pick<D['methods'], M>;
  return { fullName, methods: part };
}

/** A method's address on the wire: `/credit.disputes.v1.DisputesService/OpenDispute`. */
export function pathOf<S extends UnaryService>(service: S, method: keyof S['methods']): string {
  return pathOfMethod(service.fullName, service.methods[method as string] as UnaryMethod);
}

/** A message's bytes as Node handles them, without copying them once more. */
export function encoded<Message>(codec: MessageCodec<Message>, message: Message): Buffer {
  const { buffer, byteOffset, byteLength } = codec.encode(message).finish();
  return Buffer.from(buffer, byteOffset, byteLength);
}

const kept = new WeakMap<object, { readonly codec: unknown; readonly bytes: Buffer }>();

/** Has a message, which nobody changes from then on, keep the bytes that stand for it. */
export function keepBytes<Message>(
  codec: MessageCodec<Message>,
  message: Message,
  bytes: Buffer,
): Message {
  // Sound: what these codecs take are objects.
  kept.set(message as object, { codec, bytes });
  return message;
}

/** The bytes that a message keeps, or new ones. */
export function bytesOf<Message>(codec: MessageCodec<Message>, message: Message): Buffer {
  const known = kept.get(message as object);
  return known?.codec === codec ? known.bytes : encoded(codec, message);
}

export function pathOfMethod(service_name: string, { name }: UnaryMethod): string {
  return `/${service_name}/${name}`;
}

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
  const { fullName: name, methods } = definition;
  return {
    name,
    methods: Object.entries(methods).map(([method_name, method]) => ({
      path: pathOfMethod(name, method),
      decodeRequest: (bytes) => method.requestType.decode(bytes),
      encodeResponse: (response) => bytesOf(method.responseType, response),
      handler: (handlers[method_name] as ErasedHandler).bind(handlers),
    })),
  };
}
