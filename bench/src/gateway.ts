import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { System } from '@credit/local/spawned-system';
import type { Principal } from '@credit/proto/identity/v1/identity';

/** A gateway of a benchmark's own, in front of a system's services. */
export interface BenchGateway {
  readonly base_url: string;
  stop(): Promise<void>;
}

/** Starts one; with a principal, no credential is looked at and nobody is counted. */
export async function startBenchGateway(
  system: System,
  principal?: Principal,
): Promise<BenchGateway> {
  const addresses = Object.entries(system.runRecord().rpc_addresses).map(([name, address]) => [
    `${name.toUpperCase()}_ADDRESS`,
    address,
  ]);
  const child = fork(
    path.join(__dirname, 'gateway-process.js'),
    principal === undefined ? [] : [JSON.stringify(principal)],
    {
      env: {
        ...process.env,
        LOG_LEVEL: 'warn',
        PORT: '0',
        // Documents are not asked for here.
        SCORING_HTTP_ADDRESS: '127.0.0.1:9',
        ...Object.fromEntries(addresses),
      },
    },
  );
  const exited = once(child, 'exit');
  const [{ port }] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error('The gateway ended before it served.');
    }),
  ])) as [{ port: number }];
  return {
    base_url: `http://127.0.0.1:${port}/api/v1`,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
