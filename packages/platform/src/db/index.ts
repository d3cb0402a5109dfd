export {
  type AttemptCount,
  type AttemptCounter,
  type AttemptCounts,
  attemptCounts,
} from './attempts';
export { type AuditEntry, auditEvent } from './audit';
export { decodeCursor, encodeCursor } from './cursor';
export {
  Database,
  type DatabaseOptions,
  openDatabase,
  SESSION_SETTINGS,
  type Transaction,
} from './database';
export { DatabaseClock, databaseClock } from './database-clock';
export { errorCode, isSerialisationFailure, Overtaken, translateFailure } from './failure';
export {
  type CommandOptions,
  command,
  type GroupCommit,
  type GroupCommitOptions,
  type GroupEntry,
  groupCommit,
  type Outcome,
} from './group-commit';
export { type Counted, type CountedTimes, HOURS_KEPT_MS, HourlyTotals } from './hourly-totals';
export { type AnswerCodec, sweepKeys } from './idempotency';
export { isMigrated, migrate } from './migrate';
export { type EventPayload, type NewOutboxEvent, PARTITION_COUNT, partitionOf } from './outbox';
export {
  LOGINS,
  type Login,
  LoginInUse,
  loginName,
  type Provisioned,
  type ProvisionOptions,
  provision,
  provisioned,
  roleName,
} from './provision';
export type { Queryable } from './queryable';
export { logLeaks, QUIET_LOG } from './quiet-log';
export type { ReplicaFigures } from './replica';
export {
  DAILY_COUNTS,
  forGood,
  goesWith,
  hourlyCounts,
  KEYED_TABLES,
  MERKLE_TREE,
  overdueStatement,
  PLATFORM_TABLES,
  type RetentionPolicies,
  swept,
  type TablePolicy,
  writtenOver,
} from './retention';
export { type SealedColumns, type SealedRow, sealedColumns } from './sealed-columns';
export { type Statement, statement, statementText } from './statement';
export {
  type BatchStatement,
  batchStatement,
  type Column,
  type Columns,
  column,
  columns,
  nullable,
  type RowOf,
  type Written,
} from './table';
