import type { CommandOptions } from '../db';
import { encoded, keepBytes, type RequestOf, type ResponseOf, type UnaryMethod } from './service';

/**
 * A generated method as a write with an idempotency key: its name is the endpoint that a key belongs
 * to, the request's encoding makes the fingerprint, and the answer is kept as its message for so long:
 * in the bytes that are sent, now and when it is replayed.
 */
export function keyedWrite<M extends UnaryMethod>(
  { name, requestType, responseType }: M,
  retention_s: number,
): CommandOptions<RequestOf<M>, ResponseOf<M>> {
  return {
    name,
    request: (request) => encoded(requestType, request),
    codec: {
      encode: (answer) => {
        const bytes = encoded(responseType, answer);
        keepBytes(responseType, answer, bytes);
        return bytes;
      },
      decode: (bytes) => {
        const answer = responseType.decode(bytes);
        const { buffer, byteOffset, byteLength } = bytes;
        // Sound because the codec is the method's own.
        return keepBytes(
          responseType,
          answer,
          Buffer.from(buffer, byteOffset, byteLength),
        ) as ResponseOf<M>;
      },
    },
    retention_s,
  };
}
