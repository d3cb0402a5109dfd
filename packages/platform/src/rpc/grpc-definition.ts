import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { encoded, type MessageCodec } from './service';

interface Method {
  readonly name: string;
  readonly requestType: MessageCodec<unknown>;
  readonly responseType: MessageCodec<unknown>;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** A generated definition of any kind, its message types erased. */
export interface AnyDefinition {
  readonly fullName: string;
  readonly methods: { readonly [method: string]: Method };
}

/** A generated definition in the form that grpc-js's own server and clients take. */
export function grpcDefinition<D extends AnyDefinition>(
  definition: D,
): ServiceDefinition & { readonly [M in keyof D['methods']]: MethodDefinition<unknown, unknown> } {
  const methods = Object.entries(definition.methods).map(([key, method]) => {
    const { name, requestType, responseType, requestStream, responseStream } = method;
    const of: MethodDefinition<unknown, unknown> = {
      path: `/${definition.fullName}/${name}`,
      requestStream,
      responseStream,
      requestSerialize: (message) => encoded(requestType, message),
      requestDeserialize: (bytes) => requestType.decode(bytes),
      responseSerialize: (message) => encoded(responseType, message),
      responseDeserialize: (bytes) => responseType.decode(bytes),
    };
    return [key, of];
  });
  // Sound because every method of the definition has got its entry.
  return Object.fromEntries(methods);
}
