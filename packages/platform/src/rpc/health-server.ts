import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Health } from './health';

/** The service name that probes ask for to know whether the process lives, whatever it serves. */
export const LIVENESS = 'liveness';

/** A server of health checks alone, in plain text: probes have no certificate. */
export interface HealthServer {
  readonly port: number;
  /** What readiness checks (of the empty service name) answer; liveness does not depend on it. */
  setServing(serving: boolean): void;
  close(): void;
}

/** Answers checks from now on, as not serving. */
export async function startHealthServer(address: string): Promise<HealthServer> {
  const server = new Server();
  const health = new Health([], [LIVENESS]);
  health.setServing(false);
  health.addTo(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    port,
    setServing: (serving) => health.setServing(serving),
    close: () => server.forceShutdown(),
  };
}
