export { type Bus, type BusOptions, type BusStatus, connectBus } from './bus';
export {
  type BatchConsumer,
  type ConsumerDefinition,
  consumer,
  type EventEntry,
  type EventType,
  type PayloadOf,
  type SingleConsumer,
} from './consumer';
export {
  type ConsumerLag,
  type Consumers,
  type ConsumersOptions,
  startConsumers,
} from './consumers';
export {
  type DeadLetter,
  listDeadLetters,
  type RetryResult,
  retryDeadLetter,
} from './dead-letters';
export { PublishError, type PublishFailure, type Receipt } from './publisher';
export { type Relay, type RelayLag, type RelayOptions, startRelay } from './relay';
export type { Incarnation, StreamLimits } from './stream';
export { STREAM } from './subjects';
