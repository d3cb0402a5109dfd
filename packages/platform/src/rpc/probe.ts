import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { HEALTH_PACKAGE } from './health';

const TIMEOUT_MS = 2_000;

interface HealthClient {
  Check(
    request: { service: string },
    options: { deadline: number },
    callback: (error: Error | null, answer?: { status: string }) => void,
  ): void;
  close(): void;
}

/** Asks a plain-text health server; rejects when it does not answer or knows no such service. */
export async function checkHealth(address: string, service: string): Promise<boolean> {
  const definition = loadPackageDefinition(HEALTH_PACKAGE) as unknown as {
    grpc: { health: { v1: { Health: ServiceClientConstructor } } };
  };
  const client = new definition.grpc.health.v1.Health(
    address,
    credentials.createInsecure(),
  ) as unknown as HealthClient;
  try {
    return await new Promise((resolve, reject) => {
      client.Check({ service }, { deadline: Date.now() + TIMEOUT_MS }, (error, answer) => {
        if (error) reject(error);
        else resolve(answer?.status === 'SERVING');
      });
    });
  } finally {
    client.close();
  }
}
