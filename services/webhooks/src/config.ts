import { openKeyRing } from '@credit/platform/credentials';
import { commaList, count, serviceConfig, twoDatabases } from '@credit/platform/runtime';
import { z } from 'zod';
import { parseAddressRanges } from './domain/address';

/** The environment of the webhooks service. */
export const webhooksConfig = serviceConfig
  .extend(twoDatabases.shape)
  .extend({
    /** 32 bytes in base64: seals signing secrets at rest. */
    WEBHOOK_SECRET_KEY: z.string(),
    /** Comma list of further keys that open: those before it, or the next one ahead of its time. */
    WEBHOOK_SECRET_KEYS_PREVIOUS: commaList,
    /** Comma list of ranges that receivers may be in although they are not public. */
    WEBHOOK_ALLOWED_PRIVATE_CIDRS: z
      .string()
      .default('')
      .transform((text, issues) => {
        try {
          return parseAddressRanges(text);
        } catch {
          issues.addIssue({ code: 'custom', message: 'must be a comma list of address ranges' });
          return z.NEVER;
        }
      }),
    /** PEM file of a certificate authority to trust beside the well-known ones. */
    WEBHOOK_CA_FILE: z.string().optional(),
    /** Comma list of name servers to ask instead of the machine's own. */
    WEBHOOK_DNS_SERVERS: commaList,
    /** The wait after a first failure; scales the whole table. */
    WEBHOOK_BACKOFF_BASE_MS: count(60_000),
    /** Over a whole exchange with a receiver. */
    WEBHOOK_TIMEOUT_MS: z.coerce.number().int().positive().max(10_000).default(10_000),
    /** After which another sender takes over what a dead one had claimed. */
    WEBHOOK_LEASE_MS: count(30_000),
    WEBHOOK_POLL_MS: count(500),
    /** Deliveries under way per environment and process. */
    WEBHOOK_MAX_IN_FLIGHT: count(512),
  })
  .transform((config, issues) => {
    if (config.WEBHOOK_LEASE_MS < 2 * config.WEBHOOK_TIMEOUT_MS) {
      issues.addIssue({
        code: 'custom',
        path: ['WEBHOOK_LEASE_MS'],
        message: 'must be at least twice WEBHOOK_TIMEOUT_MS',
      });
      return z.NEVER;
    }
    try {
      const keys = openKeyRing(config.WEBHOOK_SECRET_KEY, config.WEBHOOK_SECRET_KEYS_PREVIOUS);
      return { ...config, keys };
    } catch {
      issues.addIssue({
        code: 'custom',
        path: ['WEBHOOK_SECRET_KEY'],
        message: 'and WEBHOOK_SECRET_KEYS_PREVIOUS must hold 32 bytes each, in base64',
      });
      return z.NEVER;
    }
  });

/** The parsed environment of the webhooks service. */
export type WebhooksConfig = z.output<typeof webhooksConfig>;
