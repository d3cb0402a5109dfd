import type {
  BodyOf,
  OperationId,
  Operations,
  ParamsOf,
  QueryOf,
  ResultOf,
} from '@credit/contract';
import type { CallContext } from '@credit/platform/context';
import type { Principal } from '@credit/proto/identity/v1/identity';
import type { Document } from './document-proxy';
import type { Download } from './download';
import type { Renew, Upload } from './upload';

/** What a handler is given of a request that has passed all checks. */
export interface Call<Op> {
  readonly ctx: CallContext;
  readonly params: ParamsOf<Op>;
  readonly query: QueryOf<Op>;
  readonly body: BodyOf<Op>;
  /** Undefined on public operations. */
  readonly principal: Principal | undefined;
  /** What came as bearer where the operation's access is by token; else empty. */
  readonly token: string;
  /** Of an operation that takes a file; to ask another for it is a mistake, and throws. */
  readonly upload: Upload;
  /** The same context with its time before it. */
  readonly renew: Renew;
  /** An id made for this request; the same one when the call is repeated. */
  readonly made_id: string;
}

/** A {@link Call} of an operation that is only known at run time. */
export class AdmittedCall {
  readonly ctx: CallContext;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly principal: Principal | undefined;
  readonly token: string;
  readonly renew: Renew;
  readonly #upload: Upload | undefined;
  readonly #newId: () => string;
  #made_id: string | undefined;

  constructor(
    parts: Pick<
      AdmittedCall,
      'ctx' | 'params' | 'query' | 'body' | 'principal' | 'token' | 'renew'
    > & { readonly upload: Upload | undefined },
    newId: () => string,
  ) {
    this.ctx = parts.ctx;
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.principal = parts.principal;
    this.token = parts.token;
    this.#upload = parts.upload;
    this.renew = parts.renew;
    this.#newId = newId;
  }

  get upload(): Upload {
    if (this.#upload === undefined) throw new Error('The operation takes no file.');
    return this.#upload;
  }

  get made_id(): string {
    this.#made_id ??= this.#newId();
    return this.#made_id;
  }
}

/** What a handler owes: where no response is declared, it can be handed through or made on the way. */
type Answered<Op> = undefined extends ResultOf<Op> ? Document | Download | undefined : ResultOf<Op>;

export type Handler<Op> = (call: Call<Op>) => Promise<Answered<Op>>;

/** One handler for every operation: a missing or surplus one does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Operations[Id]> };

/** The handlers of some operations. */
export type HandlersOf<Id extends OperationId> = Pick<Handlers, Id>;

/** A message that the generated types leave open, though every answer has it. */
export function present<Message>(message: Message | undefined): Message {
  if (message === undefined) throw new Error('A service left out what its answer is made of.');
  return message;
}
