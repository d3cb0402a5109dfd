import { type ErrorDetail, invalid } from '@credit/platform/errors';
import { SCOPES, type Scope, TEXTS } from '@credit/platform/values';
import { normalizeNetwork } from './addresses';
import { requiredText } from './texts';

export type KeyEnvironment = 'live' | 'test';

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly institution_id: string;
  readonly display_name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly environment: KeyEnvironment;
  /** Undefined allows any address. */
  readonly allowed_ips: readonly string[] | undefined;
  readonly expires_at: string | undefined;
  readonly active: boolean;
  readonly last_used_at: string | undefined;
  /** The user who made or rotated it. */
  readonly created_by: string;
  readonly created_at: string;
}

/** What a key is asked to be. */
export interface KeyRequest {
  readonly display_name: string;
  readonly scopes: readonly string[];
  readonly environment: string;
  readonly allowed_ips: readonly string[];
  readonly expires_at?: string | undefined;
}

/** What a key will be. */
export type KeyDraft = Pick<
  ApiKey,
  'display_name' | 'scopes' | 'environment' | 'allowed_ips' | 'expires_at'
>;

/** Of an institution in one environment: more are forgotten ones. */
export const MAX_ACTIVE_KEYS = 100;
const MAX_NETWORKS = 100;

/** Checks and normalises a request for a key; VALIDATION_ERROR names every fault. */
export function draftKey(request: KeyRequest, now_ms: number): KeyDraft {
  const faults: ErrorDetail[] = [];
  const display_name = requiredText(
    faults,
    'display_name',
    request.display_name,
    TEXTS.api_key_name,
  );
  const scopes = checkScopes(faults, request.scopes);
  const environment = request.environment;
  if (!isKeyEnvironment(environment)) {
    faults.push({ path: 'environment', message: 'must be live or test' });
  }
  const allowed_ips = checkNetworks(faults, request.allowed_ips);
  const expires_at = request.expires_at;
  if (expires_at !== undefined && !(Date.parse(expires_at) > now_ms)) {
    faults.push({ path: 'expires_at', message: 'must be in the future' });
  }
  if (faults.length > 0 || !isKeyEnvironment(environment)) throw invalid(faults);
  return { display_name, scopes, environment, allowed_ips, expires_at };
}

function isKeyEnvironment(text: string): text is KeyEnvironment {
  return text === 'live' || text === 'test';
}

function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

function checkScopes(faults: ErrorDetail[], wanted: readonly string[]): Scope[] {
  if (wanted.length === 0) faults.push({ path: 'scopes', message: 'needs at least one scope' });
  for (const [index, scope] of wanted.entries()) {
    if (!isScope(scope)) faults.push({ path: `scopes[${index}]`, message: 'is not a known scope' });
  }
  // In one order and once each, however they were sent.
  return SCOPES.filter((scope) => wanted.includes(scope));
}

function checkNetworks(faults: ErrorDetail[], wanted: readonly string[]): string[] | undefined {
  if (wanted.length > MAX_NETWORKS) {
    faults.push({ path: 'allowed_ips', message: `must have at most ${MAX_NETWORKS} networks` });
    return undefined;
  }
  const networks = new Set<string>();
  for (const [index, text] of wanted.entries()) {
    const network = normalizeNetwork(text);
    if (network === undefined) {
      faults.push({
        path: `allowed_ips[${index}]`,
        message: 'is not an address or a CIDR range without host bits',
      });
    } else {
      networks.add(network);
    }
  }
  return networks.size === 0 ? undefined : [...networks];
}
