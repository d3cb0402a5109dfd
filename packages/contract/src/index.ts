export {
  type Access,
  choosesEnvironment,
  isOpenTo,
  type LimitClassName,
  type Owed,
} from './access';
export { toDetails } from './details';
export { compileEncoder, type Encodable, type Encoder, moneyText } from './encoder';
export { errorBody } from './error-body';
export * from './events';
export { type FieldOf, fieldsOfItems } from './fields';
export { meaningsOf } from './meanings';
export {
  API_VERSION,
  BASE_PATH,
  buildOpenApi,
  type ContactSettings,
  maxBodyBytes,
  maxBodyValues,
} from './openapi';
export type {
  BodyOf,
  CountedPageOf,
  Operation,
  PageOf,
  Paging,
  ParamsOf,
  QueryOf,
  ResultOf,
  WireOf,
} from './operation';
export { type OperationId, type Operations, operations } from './operations';
export { ACCOUNT_COLUMNS } from './operations/accounts';
export { AUDIT_COLUMNS } from './operations/audit';
export { NO_REPLACEMENT } from './operations/disputes';
export { OF_THE_NETWORK } from './operations/events';
export { type MyFileContent, myFileContent } from './operations/my-file';
export { buildPostmanCollection } from './postman';
export { PRIORITIES, type Priority, priorityOf } from './priority';
export { ERROR_REASONS, ERRORS_URL, type ErrorReason, reasonsOf } from './reasons';
export { INTERNAL_RPCS, type RpcMethod } from './rpc-method';
export { TAG_GROUPS, TAGS, type TagName } from './tags';
export type { JsonText } from './wire';
