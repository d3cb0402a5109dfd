import {
  type Error as ErrorMessage,
  type ExchangeRequest,
  type ExchangeResponse,
  Error as RpcErrorMessage,
  type ServerFrame,
  TunnelDefinition,
} from '@credit/proto/rpc/v1/tunnel';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  status as GrpcStatus,
  Metadata,
} from '@grpc/grpc-js';

/** What came of a call. */
export interface RawAnswer {
  readonly status: GrpcStatus;
  readonly message: string;
  readonly response: Buffer | undefined;
  readonly error: ErrorMessage | undefined;
}

interface RawCall {
  readonly method: string;
  readonly request: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
}

const OPTIONS = { 'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1 };
const same = (bytes: Buffer) => bytes;

/** Calls one server with bytes, in both ways that a method can be called. */
export class RawCaller {
  private readonly client: Client;
  private readonly waiting = new Map<number, (answer: RawAnswer) => void>();
  private stream: ClientDuplexStream<ExchangeRequest, ExchangeResponse> | undefined;
  private last_id = 0;

  constructor(address: string) {
    this.client = new Client(address, credentials.createInsecure(), OPTIONS);
  }

  close(): void {
    this.stream?.cancel();
    this.client.close();
  }

  unary({ method, request, metadata, timeout_ms }: RawCall): Promise<RawAnswer> {
    const sent = new Metadata();
    for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
    return new Promise((resolve) => {
      const options = { deadline: Date.now() + timeout_ms };
      this.client.makeUnaryRequest(method, same, same, request, sent, options, (error, answer) => {
        const trailer = error?.metadata.get('credit-error-bin')[0];
        resolve({
          status: error?.code ?? GrpcStatus.OK,
          message: error?.details ?? '',
          response: error === null ? answer : undefined,
          error: trailer instanceof Buffer ? RpcErrorMessage.decode(trailer) : undefined,
        });
      });
    });
  }

  /** As our own services call; a frame carries metadata of any text. */
  tunnelled({ method, request, metadata, timeout_ms }: RawCall): Promise<RawAnswer> {
    const call_id = ++this.last_id;
    return new Promise((resolve) => {
      this.waiting.set(call_id, resolve);
      const value = { method, request, metadata, timeout_ms };
      this.tunnel().write({ frames: [{ call_id, kind: { $case: 'call', value } }] });
    });
  }

  private tunnel(): ClientDuplexStream<ExchangeRequest, ExchangeResponse> {
    if (this.stream !== undefined) return this.stream;
    const { exchange } = TunnelDefinition.methods;
    const stream = this.client.makeBidiStreamRequest<ExchangeRequest, ExchangeResponse>(
      `/${TunnelDefinition.fullName}/${exchange.name}`,
      (batch) => Buffer.from(exchange.requestType.encode(batch).finish()),
      (bytes) => exchange.responseType.decode(bytes),
    );
    this.stream = stream;
    stream.on('data', ({ frames }: ExchangeResponse) => {
      for (const frame of frames) this.onFrame(frame);
    });
    // What was under way fails with it.
    stream.on('error', ({ code, message }: Error & { code: GrpcStatus }) => {
      this.stream = undefined;
      for (const call_id of [...this.waiting.keys()]) {
        this.settle(call_id, { status: code, message, response: undefined, error: undefined });
      }
    });
    return stream;
  }

  private onFrame({ call_id, kind }: ServerFrame): void {
    if (kind?.$case === 'reply') {
      const response = Buffer.from(kind.value.response);
      this.settle(call_id, { status: GrpcStatus.OK, message: '', response, error: undefined });
    } else if (kind?.$case === 'failure') {
      const { status, message, error } = kind.value;
      this.settle(call_id, { status, message, response: undefined, error });
    }
  }

  private settle(call_id: number, answer: RawAnswer): void {
    this.waiting.get(call_id)?.(answer);
    this.waiting.delete(call_id);
  }
}
