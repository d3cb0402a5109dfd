import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { System } from '@credit/local/spawned-system';
import { freePort } from '@credit/servers';

/** Another gateway process in front of the same services. */
export interface SecondGateway {
  readonly base_url: string;
  /** Nothing in it runs until it is resumed; the kernel still takes connections for it. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 20_000;

/** Starts a gateway beside the system's own, which knows nothing of it. */
export async function startSecondGateway(
  system: System,
  environment: Record<string, string> = {},
): Promise<SecondGateway> {
  const port = await freePort();
  const addresses = Object.entries(system.runRecord().rpc_addresses).map(([name, address]) => [
    `${name.toUpperCase()}_ADDRESS`,
    address,
  ]);
  const child = spawn(process.execPath, [path.join(system.root, 'services/gateway/dist/main.js')], {
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: 'warn',
      // Documents are not asked for here.
      SCORING_HTTP_ADDRESS: '127.0.0.1:9',
      PORT: `${port}`,
      DRAIN_GRACE_MS: '0',
      ...Object.fromEntries(addresses),
      ...environment,
    },
    // With a channel it ends when the test run does, however that ends.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await exited;
  };
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    base_url: `http://127.0.0.1:${port}/api/v1`,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop,
  };
}

async function untilReady(url: string): Promise<void> {
  for (const until_ms = Date.now() + READY_TIMEOUT_MS; Date.now() < until_ms; ) {
    const ready = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The second gateway was not ready in time.');
}
