import { get } from 'node:http';
import { Client, credentials } from '@grpc/grpc-js';

const CHECK_TIMEOUT_MS = 2_000;
/** What `grpc.health.v1.HealthCheckResponse {status: SERVING}` is on the wire. */
const SERVING = Buffer.from([0x08, 0x01]);

/** Asks the standard health service for the server as a whole. */
export function rpcIsServing(address: string): Promise<boolean> {
  const client = new Client(address, credentials.createInsecure());
  const asIs = (bytes: Buffer) => bytes;
  return new Promise<boolean>((resolve) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      asIs,
      asIs,
      Buffer.alloc(0),
      { deadline: Date.now() + CHECK_TIMEOUT_MS },
      (error, answer) => resolve(!error && answer !== undefined && SERVING.equals(answer)),
    );
  }).finally(() => client.close());
}

export function httpIsReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: CHECK_TIMEOUT_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
