import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthDefinition,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@credit/proto/grpc/health/v1/health';
import {
  status as GrpcStatus,
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { notFound } from '../errors';
import { grpcDefinition } from './grpc-definition';
import { type ServiceRegistration, serviceRegistration, unaryPart } from './service';

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** A name that no service has. */
const UNREADABLE = '\0';

/** What cannot be read asks for nobody that there is: grpc-js would call it an internal error. */
function readAsked(bytes: Buffer): HealthCheckRequest {
  try {
    return HealthCheckDefinition.methods.check.requestType.decode(bytes);
  } catch {
    return { service: UNREADABLE };
  }
}

/** The part of the protocol that callers of ours use, over their tunnels. */
export const HealthCheckDefinition = unaryPart(HealthDefinition, 'check');

/** Answers the standard health checks for the server ('') and each of its services. */
export class Health {
  /** Checks that come through a tunnel. */
  readonly registration: ServiceRegistration = serviceRegistration(HealthCheckDefinition, {
    check: async (_ctx, { service }) => {
      if (!this.#names.has(service)) throw notFound('The service is unknown.');
      return this.#answer(service);
    },
  });
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

  /** Adds the service to a server, for whoever knows the protocol: no certificate is asked for. */
  addTo(server: Server): void {
    const { check, watch } = grpcDefinition(HealthDefinition);
    server.addService(
      {
        check: { ...check, requestDeserialize: readAsked },
        watch: { ...watch, requestDeserialize: readAsked },
      },
      { check: this.#check, watch: this.#watch },
    );
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
    { request }: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
    callback: sendUnaryData<HealthCheckResponse>,
  ): void => {
    if (this.#names.has(request.service)) callback(null, this.#answer(request.service));
    else callback({ code: GrpcStatus.NOT_FOUND, details: 'unknown service' });
  };

  readonly #watch = (watcher: Watcher): void => {
    this.#watchers.add(watcher);
    watcher.on('cancelled', () => this.#watchers.delete(watcher));
    watcher.write(this.#answer(watcher.request.service));
  };

  #answer(service: string): HealthCheckResponse {
    if (!this.#names.has(service)) return { status: ServingStatus.SERVICE_UNKNOWN };
    const serving = this.#serving || this.always.includes(service);
    return { status: serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
  }
}
