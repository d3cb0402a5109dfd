import {
  HealthCheckResponse,
  HealthDefinition,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@credit/proto/grpc/health/v1/health';
import { Client, credentials } from '@grpc/grpc-js';
import { grpcDefinition } from './grpc-definition';

const TIMEOUT_MS = 2_000;

/** Asks a plain-text health server; rejects when it does not answer or knows no such service. */
export async function checkHealth(address: string, service: string): Promise<boolean> {
  const { path, requestSerialize } = grpcDefinition(HealthDefinition).check;
  const client = new Client(address, credentials.createInsecure());
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        HealthCheckResponse.decode,
        { service },
        { deadline: Date.now() + TIMEOUT_MS },
        (error, answer) => {
          if (error) reject(error);
          else resolve(answer?.status === ServingStatus.SERVING);
        },
      );
    });
  } finally {
    client.close();
  }
}
