export {
  type Exit,
  freePort,
  freePortRow,
  type Launched,
  launch,
  portIsFree,
  type ServerLogger,
  sendSignal,
  terminate,
} from './launch';
export {
  type NatsClusterMember,
  type NatsServer,
  type NatsServerOptions,
  startNatsServer,
} from './nats';
export { natsServerBinary } from './nats-binary';
export {
  CLUSTER,
  type PostgresServer,
  type PostgresServerOptions,
  startPostgresServer,
} from './postgres';
export {
  type PostgresStandbyOptions,
  type Primary,
  promoteStandby,
  startPostgresStandby,
} from './postgres-standby';
export { promtoolBinary } from './promtool-binary';
export { startValkeyServer, type ValkeyServer, type ValkeyServerOptions } from './valkey';
