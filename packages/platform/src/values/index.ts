// What values are, and what follows from them alone: no I/O, no clock, so domains may use it.
export { type Backoff, backoffMs, sooner } from './backoff';
export { EMAIL_MAX_LENGTH, isEmail } from './email';
export { specified } from './specified';
export { TEXTS, type TextRule, textFault } from './text-rule';
export { characterCount, hasUnseen, isVisible, nameKey, withoutOuterSpace } from './texts';
export { isAbsoluteUrl } from './url';
export { isUuid } from './uuid';
