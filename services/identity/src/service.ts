import { systemContext } from '@credit/platform/context';
import { openDatabase } from '@credit/platform/db';
import {
  type Background,
  ConfigError,
  type ServiceDeps,
  type ServiceParts,
  sweeping,
  type Worker,
} from '@credit/platform/runtime';
import { bootstrapSuperadmin } from './commands/bootstrap-superadmin';
import { PasswordHasher } from './commands/password-hasher';
import { SWEEPS } from './commands/sweep';
import type { Config } from './config';
import { identityConsumers } from './consumers';
import type { Dependencies } from './dependencies';
import { smtpMailer } from './mailing/mailer';
import { IdentityProvider } from './persons/identity-provider';
import { RETENTION } from './retention';
import { identityRpc } from './rpc';
import { openSignInMetrics } from './sign-in-metrics';
import { AUTHORIZATION_SETTINGS } from './store/authorization';
import { DATABASE_RATE_STORE, openFallbackCounter } from './store/rate-store';
import { SEALED } from './store/second-factors';
import { ValkeyRateStore } from './store/valkey-rate-store';
import { checkpointWorker } from './workers/checkpoint-worker';
import { mailWorker } from './workers/mail-worker';
import { monthKeeper } from './workers/month-keeper';

const SWEEP_EVERY_MS = 5 * 60_000;

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export async function build(service: ServiceDeps<Config>): Promise<ServiceParts> {
  const { config, db, logger } = service;
  const authorization_db = openDatabase({
    service: 'identity-authorization',
    urls: { live: config.DATABASE_URL, test: config.DATABASE_URL },
    pool_size: config.AUTHORIZE_POOL_SIZE,
    settings: AUTHORIZATION_SETTINGS,
    logger,
  });
  const valkey = valkeyOf(service);
  const mails = mailing(service);
  const { checkpoint_keys, second_factor_keys } = config;
  if (checkpoint_keys === undefined) {
    throw new ConfigError('The configuration is wrong: AUDIT_SIGNING_KEY is not set.');
  }
  if (second_factor_keys === undefined) {
    throw new ConfigError('The configuration is wrong: SECOND_FACTOR_KEY is not set.');
  }
  const deps: Dependencies = {
    ...service,
    authorization_db,
    rate_store: valkey ?? DATABASE_RATE_STORE,
    passwords: new PasswordHasher(),
    sign_ins: openSignInMetrics(),
    mails,
    identity_provider: identityProvider(service),
    checkpoint_keys,
    second_factor_keys,
  };

  const { BOOTSTRAP_EMAIL: email, BOOTSTRAP_PASSWORD: password } = config;
  if (email !== undefined && password !== undefined) {
    if (await bootstrapSuperadmin(deps, { email, password })) {
      logger.info({ email }, 'first superadmin made');
    }
  }
  return {
    retention: RETENTION,
    services: [identityRpc(deps)],
    consumers: identityConsumers(deps),
    sealed: { columns: SEALED, keys: second_factor_keys },
    workers: [
      sweeping({ name: 'sweep', db, logger, pause_ms: SWEEP_EVERY_MS, sweeps: () => SWEEPS }),
      checkpointWorker(deps, logger),
      monthKeeper(deps, logger),
      ...(valkey === undefined ? [] : [valkey.worker]),
      authorizing(deps),
      ...(mails === undefined ? [] : [mails]),
    ],
  };
}

/** Sends mails where there is a server for it. */
function mailing({ config, db, logger, newId }: ServiceDeps<Config>): Background | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, console_url } = config;
  if (url === undefined || from === undefined || console_url === undefined) return undefined;
  const { PUBLIC_ORIGIN: public_origin } = config;
  const mailer = smtpMailer({ url, from });
  return mailWorker({ db, logger, newId, console_url, public_origin, mailer });
}

/** Where people sign in, if the network has such a place. */
function identityProvider({
  config,
  clock,
  logger,
}: ServiceDeps<Config>): IdentityProvider | undefined {
  const {
    PERSON_OIDC_ISSUER: issuer,
    PERSON_OIDC_CLIENT_ID: client_id,
    PERSON_OIDC_CLIENT_SECRET: client_secret,
    PERSON_OIDC_CLAIM: claim,
    person_url,
  } = config;
  if (issuer === undefined || client_id === undefined) return undefined;
  if (client_secret === undefined || person_url === undefined) return undefined;
  const redirect_uri = `${person_url}/signed-in`;
  const options = { issuer, client_id, client_secret, claim, redirect_uri, logger };
  return new IdentityProvider(options, () => clock.now_ms());
}

/** Counts requests, where that is not the database's. */
function valkeyOf({ config, db, logger, tls }: ServiceDeps<Config>): ValkeyRateStore | undefined {
  const fallbacks = openFallbackCounter();
  const { RATE_LIMIT_STORE, VALKEY_URL: url, VALKEY_TIMEOUT_MS: timeout_ms } = config;
  if (RATE_LIMIT_STORE !== 'valkey' || url === undefined) return undefined;
  return new ValkeyRateStore({
    url,
    timeout_ms,
    logger,
    fallbacks,
    on: db.read(systemContext('live')),
    ...(tls === undefined ? {} : { certificates: () => tls.certificates.current }),
  });
}

/** Owns authorisation's connections: they are closed when no call is left. */
function authorizing(deps: Dependencies): Worker {
  return {
    name: 'authorization',
    start() {},
    stop: () => deps.authorization_db.close(),
  };
}
