export {
  type Authority,
  issueServerCertificate,
  keepAuthority,
  type ServerCertificate,
} from './authority';
export { readJson } from './data-directory';
export { OperatorError } from './operator-error';
export { createOutput, type Output } from './output';
export { type Secrets, SUPERADMIN_FILE, type Superadmin } from './secrets';
export { SERVICES, type ServiceDefinition } from './services';
export { readSettings, type Settings } from './settings';
export { type ReadySystem, RUN_FILE, type RunRecord, System } from './supervisor';
