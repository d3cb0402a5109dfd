import { openKeyRing } from '@credit/platform/credentials';
import { commaList, count } from '@credit/platform/runtime';
import { z } from 'zod';
import { TrustedProxies } from './client-address';

const address = z.string().regex(/^.+:\d+$/, 'must be host:port');

const trustedProxies = z
  .string()
  .default('')
  .transform((list, context) => {
    try {
      return new TrustedProxies(list);
    } catch (error) {
      context.issues.push({ code: 'custom', message: (error as Error).message, input: list });
      return z.NEVER;
    }
  });

/** What the environment says to the gateway. */
export const gatewayConfig = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(8_080),
    BIND_ADDRESS: z.string().default('127.0.0.1'),
    IDENTITY_ADDRESS: address,
    REPORTING_ADDRESS: address,
    SCORING_ADDRESS: address,
    /** Where scoring serves documents of reports over HTTP. */
    SCORING_HTTP_ADDRESS: address,
    DISPUTES_ADDRESS: address,
    WEBHOOKS_ADDRESS: address,
    /** How the API is reached from outside, as https://credit.example: errors lead from there to /docs. */
    PUBLIC_ORIGIN: z.url().optional(),
    /** Where the repository's docs/ is, when it is not three folders above the build. */
    DOCS_DIRECTORY: z.string().min(1).optional(),
    /** Proxies in front whose X-Forwarded-For is believed: addresses and CIDR ranges. */
    TRUSTED_PROXIES: trustedProxies,
    /** A certificate, its chain included, and its key: with them the gateway speaks HTTPS and nothing else. */
    HTTPS_CERT_FILE: z.string().optional(),
    HTTPS_KEY_FILE: z.string().optional(),
    /** Identity counts; this is for the headers of answers to nobody in particular. */
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: count(120),
    /** 32 bytes in base64 that seal the console's sessions: without it there is no console. */
    CONSOLE_KEY: z.string().optional(),
    /** Keys used before it, by commas: sessions that they sealed go on. */
    CONSOLE_KEYS_PREVIOUS: commaList,
    /** What the console's pages call the network. */
    NETWORK_NAME: z.string().min(1).max(100).default('Credit network'),
    /** Whom the published API description and the documentation name for questions. */
    CONTACT_NAME: z.string().min(1).optional(),
    CONTACT_URL: z.url().optional(),
    SUPPORT_EMAIL: z.email().optional(),
    /** Requests that are worked on at once, however fast they are answered. */
    MAX_IN_FLIGHT: count(1_000),
    /** So many are let in however slow they are. */
    MIN_IN_FLIGHT: count(32),
    /** More are closed as soon as they are opened. */
    MAX_CONNECTIONS: count(15_000),
    CALL_TIMEOUT_MS: count(10_000),
    /** How long the gateway goes on taking requests once it is told to stop, so that load balancers
     * see that it is not ready any more, and clients that it closes their connections. */
    DRAIN_GRACE_MS: z.coerce.number().int().min(0).default(3_000),
    /** How long requests in flight may take once the gateway is told to stop. */
    DRAIN_TIMEOUT_MS: count(15_000),
  })
  .transform(({ HTTPS_CERT_FILE, HTTPS_KEY_FILE, ...config }, context) => {
    if (!HTTPS_CERT_FILE && !HTTPS_KEY_FILE) return { ...config, https: undefined };
    if (HTTPS_CERT_FILE && HTTPS_KEY_FILE) {
      return { ...config, https: { cert_file: HTTPS_CERT_FILE, key_file: HTTPS_KEY_FILE } };
    }
    context.issues.push({
      code: 'custom',
      message: 'HTTPS_CERT_FILE and HTTPS_KEY_FILE go together',
      input: '',
    });
    return z.NEVER;
  })
  .transform(({ CONSOLE_KEY, CONSOLE_KEYS_PREVIOUS, ...config }, context) => {
    if (CONSOLE_KEY === undefined || CONSOLE_KEY === '')
      return { ...config, console_keys: undefined };
    try {
      return { ...config, console_keys: openKeyRing(CONSOLE_KEY, CONSOLE_KEYS_PREVIOUS) };
    } catch {
      context.issues.push({
        code: 'custom',
        path: ['CONSOLE_KEY'],
        message: 'and CONSOLE_KEYS_PREVIOUS must hold 32 bytes each, in base64',
        input: '',
      });
      return z.NEVER;
    }
  });

export type GatewayConfig = z.output<typeof gatewayConfig>;
