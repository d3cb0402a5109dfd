import { gatewayConfig } from '@credit/gateway/config';
import { startGateway } from '@credit/gateway/gateway';
import { loadConfig, runProcess } from '@credit/platform/runtime';
import type { AuthorizeResult } from '@credit/proto/identity/v1/identity';

/**
 * A gateway beside the system's own. Given a principal as its argument, everyone is that principal
 * and nobody is counted; without, identity decides as ever. Tells its parent the port.
 */
const [principal_json] = process.argv.slice(2);

function fixed(json: string): AuthorizeResult {
  return {
    state: 'VALID',
    principal: JSON.parse(json),
    address_allowed: true,
    rate: { limit: 1_000_000, remaining: 999_999, reset_s: 4_102_444_800n, exceeded: false },
  };
}

void runProcess('gateway', async (logger) => {
  const config = loadConfig(gatewayConfig);
  const result = principal_json === undefined ? undefined : fixed(principal_json);
  const parts = result === undefined ? {} : { authorizer: () => ({ check: async () => result }) };
  const running = await startGateway(config, logger, parts);
  process.send?.({ port: running.port });
  return running;
});
