import {
  ChannelCredentials,
  Client,
  status as GrpcStatus,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { type CallContext, toMetadata } from '../src/context';
import { grpcDefinition, type Stub, type UnaryService } from '../src/rpc';
import { TRANSPORT_OPTIONS } from '../src/rpc/limits';
import {
  decodeErrorTrailer,
  ERROR_TRAILER,
  restoreError,
  transportError,
} from '../src/rpc/rpc-error';

const DEFAULT_TIMEOUT_MS = 15_000;

/** Calls as any gRPC client does: one HTTP/2 stream each, the context as metadata. */
export class PlainClient {
  readonly #client: Client;

  constructor(address: string, credentials = ChannelCredentials.createInsecure()) {
    this.#client = new Client(address, credentials, TRANSPORT_OPTIONS);
  }

  stub<S extends UnaryService>(definition: S): Stub<S> {
    const stub = Object.entries(grpcDefinition(definition)).map(([name, method]) => {
      const { path, requestSerialize, responseDeserialize } = method;
      return [
        name,
        (ctx: CallContext, request: unknown) =>
          this.#call(path, ctx, requestSerialize(request)).then(responseDeserialize),
      ];
    });
    return Object.fromEntries(stub);
  }

  close(): void {
    this.#client.close();
  }

  #call(path: string, ctx: CallContext, request: Buffer): Promise<Buffer> {
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(toMetadata(ctx))) metadata.set(key, value);
    return new Promise((resolve, reject) => {
      const lost = (status: GrpcStatus, reason: string) =>
        reject(transportError(status, `${path}: ${reason}`));
      if (ctx.signal.aborted) return lost(GrpcStatus.CANCELLED, 'the caller gave up');
      const deadline = Math.min(ctx.deadline_at_ms, Date.now() + DEFAULT_TIMEOUT_MS);
      let answer: Buffer | undefined;
      const sent = this.#client.makeUnaryRequest(
        path,
        sameBytes,
        sameBytes,
        request,
        metadata,
        { deadline },
        (error, response) => {
          answer = response;
          if (error !== null) reject(restoreError(failureFrom(error), path));
        },
      );
      ctx.signal.addEventListener('abort', () => {
        lost(GrpcStatus.CANCELLED, 'the caller gave up');
        sent.cancel();
      });
      // The answer comes just before its trailers.
      sent.on('status', ({ metadata: trailers }) => {
        if (answer === undefined) return;
        for (const [key, value] of Object.entries(trailers.getMap())) {
          if (typeof value === 'string') ctx.reply_metadata.set(key, value);
        }
        resolve(answer);
      });
    });
  }
}

function failureFrom({ code, details, metadata }: ServiceError) {
  const [trailer] = metadata.get(ERROR_TRAILER);
  const error = decodeErrorTrailer(trailer);
  // A server that went away with the stream open.
  const abandoned = code === GrpcStatus.CANCELLED && error === undefined;
  return { status: abandoned ? GrpcStatus.UNAVAILABLE : code, message: details, error };
}

function sameBytes(bytes: Buffer): Buffer {
  return bytes;
}
