export {
  type Clock,
  ConfigError,
  commaList,
  count,
  crashPoint,
  loadConfig,
  newId,
  onOff,
  replicaUrl,
  serviceConfig,
  streamConfig,
  systemClock,
  toTimestamp,
  twoDatabases,
} from '../core';
export { ACT_OPTIONS, type Act, readAct, tellAct } from './act';
export { Background, type BackgroundOptions } from './background';
export { eachEnvironment } from './each-environment';
export { giveBack, type UselessLease, workLeased } from './leased';
export { createLogger, type Logger } from './logger';
export { type Running, runProcess } from './process';
export { resealSecrets, type SealedSecrets, sealedSecretsCommand } from './sealed-secrets';
export {
  runService,
  type ServiceDeps,
  type ServiceOptions,
  type ServiceParts,
} from './service';
export { operationsService } from './service-figures';
export { type Sweep, sweeping } from './sweeping';
export {
  createOpenServer,
  createPeerAgent,
  createPeerServer,
  observeCertificate,
  observeServedCertificate,
  type ServiceTls,
  servedCertificate,
  tlsFromEnvironment,
} from './tls';
export type { Worker } from './worker';
