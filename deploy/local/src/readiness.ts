import { get } from 'node:http';
import { Client, credentials } from '@grpc/grpc-js';

import { healthPort } from './services';

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

/** Whether a process of the system serves, by the name that its supervisor calls it. */
export function processIsReady(
  name: string,
  ports: Readonly<Record<string, number>>,
): Promise<boolean> {
  // With certificates only the health port answers whoever has none.
  const address = `127.0.0.1:${ports[healthPort(name)] ?? ports[name]}`;
  return name.startsWith('gateway')
    ? httpIsReady(`http://${address}/readyz`)
    : rpcIsServing(address);
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
