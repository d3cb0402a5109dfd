export {
  type Bus,
  type BusOptions,
  type BusStatus,
  connectBus,
  connectionOptions,
} from './bus';
export {
  type BatchConsumer,
  type ConsumerDefinition,
  consumer,
  type EventEntry,
  type EventType,
  OutOfTurn,
  type PayloadOf,
  type SingleConsumer,
} from './consumer';
export {
  type ConsumerLag,
  type Consumers,
  type ConsumersOptions,
  consumersLag,
  startConsumers,
  sweepInbox,
} from './consumers';
export {
  type DeadLetter,
  discardDeadLetter,
  listDeadLetters,
  type RetryResult,
  retryDeadLetter,
} from './dead-letters';
export { keepStream, type StreamKeeping } from './keep-stream';
export { PublishError, type PublishFailure, type Receipt } from './publisher';
export {
  outboxLag,
  type Relay,
  type RelayLag,
  type RelayOptions,
  startRelay,
  sweepOutbox,
} from './relay';
export {
  countTaken,
  forgetTaken,
  type ReplayStart,
  replayConsumer,
  replayRange,
} from './replay';
export {
  BUS_USE,
  BUS_USERS,
  type BusUse,
  busUseOf,
  inboxPrefixOf,
  type Permissions,
  permissionsOf,
  type ServerPassword,
  STREAM_KEEPER,
  serverAuthorization,
} from './rights';
export type { Incarnation, StreamChange, StreamLimits } from './stream';
export { durableName, STREAM } from './subjects';
