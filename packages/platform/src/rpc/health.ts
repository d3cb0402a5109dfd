import {
  status as GrpcStatus,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { fromJSON, type PackageDefinition } from '@grpc/proto-loader';

const SERVING = 'SERVING';
const NOT_SERVING = 'NOT_SERVING';
const SERVICE_UNKNOWN = 'SERVICE_UNKNOWN';

interface HealthCheckRequest {
  readonly service: string;
}

interface HealthCheckResponse {
  readonly status: typeof SERVING | typeof NOT_SERVING | typeof SERVICE_UNKNOWN;
}

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

export const HEALTH_SERVICE = 'grpc.health.v1.Health';

/** grpc.health.v1 as published by the gRPC project; a protocol, so it never changes. */
export const HEALTH_PACKAGE: PackageDefinition = fromJSON(
  {
    nested: {
      grpc: {
        nested: {
          health: {
            nested: {
              v1: {
                nested: {
                  HealthCheckRequest: { fields: { service: { type: 'string', id: 1 } } },
                  HealthCheckResponse: {
                    fields: { status: { type: 'ServingStatus', id: 1 } },
                    nested: {
                      ServingStatus: {
                        values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 },
                      },
                    },
                  },
                  Health: {
                    methods: {
                      Check: {
                        requestType: 'HealthCheckRequest',
                        responseType: 'HealthCheckResponse',
                        comment: 'What the service answers now.',
                      },
                      Watch: {
                        requestType: 'HealthCheckRequest',
                        responseType: 'HealthCheckResponse',
                        responseStream: true,
                        comment: 'What it answers now, and each change.',
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  { defaults: true, enums: String, keepCase: true },
);

/** Answers the standard health checks for the server ('') and each of its services. */
export class Health {
  readonly #names: ReadonlySet<string>;
  readonly #watchers = new Set<Watcher>();
  #serving = true;

  /** Of `always`, it says that they serve for as long as the process answers at all. */
  constructor(
    service_names: readonly string[],
    private readonly always: readonly string[] = [],
  ) {
    this.#names = new Set(['', ...service_names, ...always]);
  }

  /** Adds the service to a server. */
  addTo(server: Server): void {
    server.addService(HEALTH_PACKAGE[HEALTH_SERVICE] as ServiceDefinition, {
      Check: this.#check,
      Watch: this.#watch,
    });
  }

  /** What checks answer from now on; watchers are told at once. */
  setServing(serving: boolean): void {
    if (this.#serving === serving) return;
    this.#serving = serving;
    for (const watcher of this.#watchers) watcher.write(this.#answer(watcher.request.service));
  }

  /** Ends all watches, which would otherwise hold up a shutdown. */
  close(): void {
    for (const watcher of this.#watchers) {
      const details = 'the server is going away';
      watcher.emit(
        'error',
        Object.assign(new Error(details), { code: GrpcStatus.UNAVAILABLE, details }),
      );
    }
    this.#watchers.clear();
  }

  readonly #check = (
    call: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
    callback: sendUnaryData<HealthCheckResponse>,
  ): void => {
    const answer = this.#answer(call.request.service);
    if (answer.status === SERVICE_UNKNOWN) {
      callback({ code: GrpcStatus.NOT_FOUND, details: 'unknown service' });
    } else {
      callback(null, answer);
    }
  };

  readonly #watch = (watcher: Watcher): void => {
    this.#watchers.add(watcher);
    watcher.on('cancelled', () => this.#watchers.delete(watcher));
    watcher.write(this.#answer(watcher.request.service));
  };

  #answer(service: string): HealthCheckResponse {
    if (!this.#names.has(service)) return { status: SERVICE_UNKNOWN };
    return { status: this.#serving || this.always.includes(service) ? SERVING : NOT_SERVING };
  }
}
