// What values are, and what follows from them alone: no I/O, no clock, so domains may use it.
export { type Backoff, backoffMs, sooner } from './backoff';
export { specified } from './specified';
export { characterCount, hasUnseen, isVisible, nameKey, withoutOuterSpace } from './texts';
export { isUuid } from './uuid';
