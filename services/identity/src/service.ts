import { openDatabase } from '@credit/platform/db';
import type { ServiceDeps, ServiceParts, Worker } from '@credit/platform/runtime';
import { bootstrapSuperadmin } from './commands/bootstrap-superadmin';
import { PasswordHasher } from './commands/password-hasher';
import { sweep } from './commands/sweep';
import type { Config } from './config';
import { identityConsumers } from './consumers';
import type { Dependencies } from './dependencies';
import { MailWorker } from './mailing/mail-worker';
import { smtpMailer } from './mailing/mailer';
import { identityRpc } from './rpc';
import { AUTHORIZATION_SETTINGS } from './store/authorization';

const SWEEP_EVERY_MS = 5 * 60_000;

/** Builds the service from its dependencies; main.ts and the tests use the same. */
export async function build(service: ServiceDeps<Config>): Promise<ServiceParts> {
  const { config, logger } = service;
  const authorization_db = openDatabase({
    service: 'identity-authorization',
    urls: { live: config.DATABASE_URL, test: config.DATABASE_URL },
    pool_size: config.AUTHORIZE_POOL_SIZE,
    settings: AUTHORIZATION_SETTINGS,
    logger,
  });
  const mails = mailing(service);
  const deps: Dependencies = {
    ...service,
    authorization_db,
    passwords: new PasswordHasher(),
    mails,
  };

  const { BOOTSTRAP_EMAIL: email, BOOTSTRAP_PASSWORD: password } = config;
  if (email !== undefined && password !== undefined) {
    if (await bootstrapSuperadmin(deps, { email, password })) {
      logger.info({ email }, 'first superadmin made');
    }
  }
  return {
    services: [identityRpc(deps)],
    consumers: identityConsumers(),
    workers: [sweeping(deps, logger), authorizing(deps), ...(mails === undefined ? [] : [mails])],
  };
}

/** Sends mails where there is a server for it. */
function mailing({ config, db, logger }: ServiceDeps<Config>): MailWorker | undefined {
  const { SMTP_URL: url, MAIL_FROM: from } = config;
  if (url === undefined || from === undefined) return undefined;
  return new MailWorker({ db, logger, mailer: smtpMailer({ url, from }) });
}

/** Deletes what is over, now and then. */
function sweeping(deps: Dependencies, logger: ServiceDeps<Config>['logger']): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = () => {
    running = running
      .then(async () => {
        const deleted = await sweep(deps);
        if (deleted > 0) logger.debug({ deleted }, 'swept');
      })
      .catch((error) => logger.warn({ err: error }, 'sweeping failed'));
  };
  return {
    name: 'sweep',
    start() {
      timer = setInterval(run, SWEEP_EVERY_MS);
    },
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}

/** Owns authorisation's connections: they are closed when no call is left. */
function authorizing(deps: Dependencies): Worker {
  return {
    name: 'authorization',
    start() {},
    stop: () => deps.authorization_db.close(),
  };
}
