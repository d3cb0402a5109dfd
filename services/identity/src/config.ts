import { openKeyRing } from '@credit/platform/credentials';
import { CheckpointKeys, CheckpointVerifier, readKey } from '@credit/platform/merkle';
import { commaList, count, onOff, replicaUrl, serviceConfig } from '@credit/platform/runtime';
import { isEmail } from '@credit/platform/values';
import { z } from 'zod';
import { REQUIRED_OF } from './domain/second-factors';

/** What the identity service is told by its environment. */
export const configSchema = serviceConfig
  .extend({
    DATABASE_URL: z.string().startsWith('postgres'),
    DATABASE_REPLICA_URL: replicaUrl,
    /** Connections of authorisation alone, so that nothing else makes a request wait. */
    AUTHORIZE_POOL_SIZE: count(8),

    /** Requests of one key or user. */
    RATE_LIMIT_PER_MINUTE: count(600),
    RATE_LIMIT_PER_DAY: count(100_000),
    /** Requests of one person at the own file. */
    RATE_LIMIT_PERSON_PER_MINUTE: count(60),
    RATE_LIMIT_PERSON_PER_DAY: count(2_000),
    /** How many keys' limits an institution's keys have together. */
    RATE_LIMIT_INSTITUTION_FACTOR: count(20),
    /** Requests of one address without a valid credential. */
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: count(120),
    /** Requests of one address to one public write. */
    RATE_LIMIT_PUBLIC_WRITES_PER_MINUTE: count(10),
    /** Where requests are counted: with the credentials, or in a Valkey server. */
    RATE_LIMIT_STORE: z.enum(['postgres', 'valkey']).default('postgres'),
    /** Of that server, with its password: `rediss://`, or `redis://` on one machine. */
    VALKEY_URL: z
      .string()
      .refine((url) => /^rediss?:$/.test(URL.parse(url)?.protocol ?? ''), 'is no redis:// URL')
      .optional(),
    /** What counting may take there; then the database counts. */
    VALKEY_TIMEOUT_MS: count(250),

    /** Failed logins into one account from one address in 15 minutes, and from one address in 5. */
    LOGIN_FAILURES_PER_PAIR: count(10),
    LOGIN_FAILURES_PER_ADDRESS: count(50),
    /**
     * Failed logins into one account from anywhere in 15 minutes, beyond which an address has only
     * the second number of them for it, and an alert is raised. Nobody is locked out by it.
     */
    LOGIN_FAILURES_SPREAD: count(50),
    LOGIN_FAILURES_PER_PAIR_WHEN_SPREAD: count(3),
    /** Wrong current passwords of one user who changes the password, in 15 minutes. */
    PASSWORD_CHANGE_FAILURES: count(10),

    ACCESS_TOKEN_LIFETIME_S: count(15 * 60),
    /** A session that is not refreshed for so long is over, and any is after its lifetime. */
    SESSION_IDLE_S: count(12 * 3_600),
    SESSION_LIFETIME_S: count(30 * 24 * 3_600),
    INVITATION_LIFETIME_S: count(7 * 24 * 3_600),
    TEMPORARY_PASSWORD_LIFETIME_S: count(3 * 24 * 3_600),

    /**
     * Seed of the Ed25519 key that signs checkpoints of logs, 32 bytes in base64. The service does
     * not serve without it; its commands do.
     */
    AUDIT_SIGNING_KEY: z.string().optional(),
    /** Comma list of public keys, 32 bytes in base64 each: any of before, now and next. */
    AUDIT_PUBLIC_KEYS: commaList,
    /** How long an entry waits for a checkpoint at most; a thousand of them wait for nothing. */
    AUDIT_CHECKPOINT_EVERY_S: z.coerce.number().int().positive().max(3_600).default(3_600),
    AUDIT_CHECKPOINT_POLL_MS: count(10_000),
    /** Whole months that the audit log is kept in the database; those before are in files. */
    AUDIT_RETENTION_MONTHS: count(84),

    /**
     * Seals the secrets of second factors at rest, 32 bytes in base64. The service does not serve
     * without it; its commands do.
     */
    SECOND_FACTOR_KEY: z.string().optional(),
    /** Comma list of further keys that open: those before it, or the next one ahead of its time. */
    SECOND_FACTOR_KEYS_PREVIOUS: commaList,
    /** Who cannot do anything without one; programs' keys have none. */
    REQUIRE_SECOND_FACTOR: z.enum(REQUIRED_OF).default('none'),
    /** Wrong codes of one user in 15 minutes, at sign-ins and in changes of the factor together. */
    SECOND_FACTOR_FAILURES: count(10),

    /** Whether people get at their own files in the live environment; in test they always do. */
    PERSON_DOOR: onOff,
    PERSON_SESSION_LIFETIME_S: count(3_600),
    ACCESS_LINK_LIFETIME_S: count(7 * 24 * 3_600),
    /** The provider of OpenID Connect that people sign in with; without it links alone open files. */
    PERSON_OIDC_ISSUER: z
      .string()
      .refine(isIssuer, 'is no https:// URL, nor an http:// one of this machine')
      .optional(),
    PERSON_OIDC_CLIENT_ID: z.string().min(1).max(255).optional(),
    PERSON_OIDC_CLIENT_SECRET: z.string().min(1).max(1_024).optional(),
    /** Which claim of the ID token says whose file it is, and which identity of subjects it is. */
    PERSON_OIDC_CLAIM: z.string().min(1).max(255).default('sub'),
    PERSON_OIDC_IDENTITY: z.enum(['game_uuid', 'forum_id']).default('game_uuid'),

    /** The first superadmin, made at start while there is none. */
    BOOTSTRAP_EMAIL: z.string().refine(isEmail, 'is not an e-mail address').optional(),
    BOOTSTRAP_PASSWORD: z.string().min(12).max(128).optional(),

    /** smtp:// or smtps:// URL of the server that sends mails; without it none is sent. */
    SMTP_URL: z
      .string()
      .refine((url) => /^smtps?:$/.test(URL.parse(url)?.protocol ?? ''), 'is no smtp:// URL')
      .optional(),
    /** The sender of those mails, for example `Network <no-reply@network.example>`. */
    MAIL_FROM: z.string().max(320).optional(),
    /** Where the console is, that mails link to; `/console` below the public origin unless set. */
    CONSOLE_URL: z.url({ protocol: /^https?$/ }).optional(),
    /** How members reach the API, as `https://credit.example`. */
    PUBLIC_ORIGIN: z.url({ protocol: /^https?$/ }).optional(),
  })
  .refine(
    (config) =>
      config.PERSON_OIDC_ISSUER === undefined ||
      (config.PERSON_OIDC_CLIENT_ID !== undefined &&
        config.PERSON_OIDC_CLIENT_SECRET !== undefined),
    {
      path: ['PERSON_OIDC_ISSUER'],
      message: 'goes together with PERSON_OIDC_CLIENT_ID and PERSON_OIDC_CLIENT_SECRET',
    },
  )
  .refine(
    ({ PERSON_OIDC_ISSUER, CONSOLE_URL, PUBLIC_ORIGIN }) =>
      PERSON_OIDC_ISSUER === undefined || CONSOLE_URL !== undefined || PUBLIC_ORIGIN !== undefined,
    { path: ['PERSON_OIDC_ISSUER'], message: 'goes together with PUBLIC_ORIGIN or CONSOLE_URL' },
  )
  .refine((config) => config.RATE_LIMIT_STORE === 'postgres' || config.VALKEY_URL !== undefined, {
    path: ['VALKEY_URL'],
    message: 'goes together with RATE_LIMIT_STORE=valkey',
  })
  .refine((config) => config.SMTP_URL === undefined || config.MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    message: 'goes together with SMTP_URL',
  })
  .refine(
    ({ SMTP_URL, CONSOLE_URL, PUBLIC_ORIGIN }) =>
      SMTP_URL === undefined || CONSOLE_URL !== undefined || PUBLIC_ORIGIN !== undefined,
    { path: ['CONSOLE_URL'], message: 'or PUBLIC_ORIGIN goes together with SMTP_URL' },
  )
  .refine(
    (config) =>
      (config.BOOTSTRAP_EMAIL === undefined) === (config.BOOTSTRAP_PASSWORD === undefined),
    { path: ['BOOTSTRAP_PASSWORD'], message: 'goes together with BOOTSTRAP_EMAIL' },
  )
  .transform((config, issues) => {
    const { AUDIT_SIGNING_KEY: seed, AUDIT_PUBLIC_KEYS: further } = config;
    try {
      const checkpoint_keys = seed === undefined ? undefined : new CheckpointKeys(seed, further);
      const checkpoint_verifier =
        checkpoint_keys?.verifier ?? new CheckpointVerifier(further.map(readKey));
      const console_url = consoleUrl(config);
      const person_url = console_url && new URL('/my', console_url).href;
      return { ...config, checkpoint_keys, checkpoint_verifier, console_url, person_url };
    } catch {
      issues.addIssue({
        code: 'custom',
        path: ['AUDIT_SIGNING_KEY'],
        message: 'and AUDIT_PUBLIC_KEYS must hold 32 bytes each, in base64',
      });
      return z.NEVER;
    }
  })
  .transform(({ SECOND_FACTOR_KEY, SECOND_FACTOR_KEYS_PREVIOUS, ...config }, issues) => {
    if (SECOND_FACTOR_KEY === undefined) return { ...config, second_factor_keys: undefined };
    try {
      const second_factor_keys = openKeyRing(SECOND_FACTOR_KEY, SECOND_FACTOR_KEYS_PREVIOUS);
      return { ...config, second_factor_keys };
    } catch {
      issues.addIssue({
        code: 'custom',
        path: ['SECOND_FACTOR_KEY'],
        message: 'and SECOND_FACTOR_KEYS_PREVIOUS must hold 32 bytes each, in base64',
      });
      return z.NEVER;
    }
  });

/** In plain text only what never leaves the machine. */
function isIssuer(text: string): boolean {
  const { protocol, hostname } = URL.parse(text) ?? {};
  if (protocol === 'https:') return true;
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname ?? '');
}

function consoleUrl(config: {
  readonly CONSOLE_URL?: string | undefined;
  readonly PUBLIC_ORIGIN?: string | undefined;
}): string | undefined {
  const { CONSOLE_URL, PUBLIC_ORIGIN } = config;
  if (CONSOLE_URL !== undefined || PUBLIC_ORIGIN === undefined) return CONSOLE_URL;
  return `${PUBLIC_ORIGIN.replace(/\/$/, '')}/console`;
}

export type Config = z.output<typeof configSchema>;
