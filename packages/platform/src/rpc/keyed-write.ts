import type { CommandOptions } from '../db';
import { encoded, type RequestOf, type ResponseOf, type UnaryMethod } from './service';

/**
 * A generated method as a write with an idempotency key: its name is the endpoint that a key belongs
 * to, the request's bytes make the fingerprint, and the answer is kept as its message for so long.
 */
export function keyedWrite<M extends UnaryMethod>(
  { name, requestType, responseType }: M,
  retention_s: number,
): CommandOptions<RequestOf<M>, ResponseOf<M>> {
  return {
    name,
    request: (request) => encoded(requestType, request),
    codec: {
      encode: (answer) => encoded(responseType, answer),
      // Sound because the codec is the method's own.
      decode: (bytes) => responseType.decode(bytes) as ResponseOf<M>,
    },
    retention_s,
  };
}
