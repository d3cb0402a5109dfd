/** The message of grpc.health.v1 that asks for the server as a whole has no bytes. */
const WHOLE_SERVER = Buffer.alloc(0);
/** `{status: SERVING}` on the wire. */
const SERVING = Buffer.from([0x08, 0x01]);

export interface HealthAnswer {
  readonly serving: boolean;
}

/**
 * The part of the standard health protocol that is asked here, in the form of a
 * generated service. Too little to bring a code generator for.
 */
export const HealthService = {
  check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: (_request: Record<never, never>): Buffer => WHOLE_SERVER,
    requestDeserialize: (_bytes: Buffer): Record<never, never> => ({}),
    responseSerialize: ({ serving }: HealthAnswer): Buffer => (serving ? SERVING : WHOLE_SERVER),
    responseDeserialize: (bytes: Buffer): HealthAnswer => ({ serving: SERVING.equals(bytes) }),
  },
} as const;
