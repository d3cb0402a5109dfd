export { Alarm } from './alarm';
export { type Clock, systemClock, toTimestamp } from './clock';
export {
  ConfigError,
  commaList,
  count,
  loadConfig,
  onOff,
  replicaUrl,
  serviceConfig,
  streamConfig,
  twoDatabases,
} from './config';
export { crashPoint, refuseCrashPoints } from './crash-point';
export { newId } from './ids';
