import { SIGNER } from '@credit/platform/merkle';
import { NETWORK_CHAIN_ID } from './audit-chain';

const PREFIX = `${SIGNER}/audit/`;
const NETWORK = 'network';

/** How checkpoints name the audit log of an institution, or the network's own. */
export function auditOrigin(chain_id: string): string {
  return PREFIX + (chain_id === NETWORK_CHAIN_ID ? NETWORK : chain_id);
}

/** The chain that checkpoints name so; undefined when it is another kind of log. */
export function chainOfOrigin(origin: string): string | undefined {
  if (!origin.startsWith(PREFIX)) return undefined;
  const name = origin.slice(PREFIX.length);
  return name === NETWORK ? NETWORK_CHAIN_ID : name;
}
