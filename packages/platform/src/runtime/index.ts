export { type Clock, systemClock, toTimestamp } from './clock';
export {
  ConfigError,
  count,
  loadConfig,
  serviceConfig,
  streamConfig,
  twoDatabases,
} from './config';
export { newId } from './ids';
export { createLogger, type Logger } from './logger';
export { type Running, runProcess } from './process';
export {
  runService,
  type ServiceDeps,
  type ServiceOptions,
  type ServiceParts,
  type Worker,
} from './service';
export { operationsService } from './service-figures';
export {
  createPeerAgent,
  createPeerServer,
  observeCertificate,
  type ServiceTls,
  tlsFromEnvironment,
} from './tls';
export { type LoopOptions, WakefulLoop } from './wakeful-loop';
