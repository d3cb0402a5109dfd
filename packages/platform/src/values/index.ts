// What values are, and what follows from them alone: no I/O, no clock, so domains may use it.
export {
  isPermitted,
  PERMISSIONS,
  type Permission,
  type Permitted,
  PLATFORM_ROLES,
  type PlatformRole,
  permittedTo,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
} from './access';
export { type Backoff, backoffMs, sooner } from './backoff';
export { csvLine, csvPlain, csvText, withoutCsvGuards } from './csv';
export { EMAIL_MAX_LENGTH, isEmail } from './email';
export {
  EVENT_NAMES,
  type EventName,
  FEED_EVENT_NAMES,
  type FeedEventName,
  TEST_EVENT_NAME,
} from './event-names';
export { INEXACT, parseJson } from './json';
export { lowestIdAt, timeOfId } from './lowest-id';
export { specified } from './specified';
export {
  CONSENT_REFERENCE,
  checkText,
  MAPPING_NAME,
  TEXTS,
  type TextRule,
  textFault,
} from './text-rule';
export { characterCount, hasUnseen, isVisible, nameKey, withoutOuterSpace } from './texts';
export { isAbsoluteUrl } from './url';
export { isUuid, NIL_UUID } from './uuid';
