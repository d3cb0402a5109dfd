export { type CallerRules, callersOf, namesOf } from './caller-policy';
export { type ChannelOptions, createChannel, type RpcChannel } from './channel';
export type { RpcLogger } from './dispatcher';
export { grpcDefinition } from './grpc-definition';
export { HealthCheckDefinition } from './health';
export { type HealthServer, LIVENESS, startHealthServer } from './health-server';
export { keyedWrite } from './keyed-write';
export { withRetry } from './retry';
export { isRetryable, RpcError } from './rpc-error';
export { type RpcServer, type RpcServerOptions, startRpcServer } from './server';
export {
  type Handlers,
  type MessageCodec,
  pathOf,
  type RequestOf,
  type ResponseOf,
  type ServiceRegistration,
  type Stub,
  serviceRegistration,
  type UnaryMethod,
  type UnaryService,
  unaryPart,
} from './service';
