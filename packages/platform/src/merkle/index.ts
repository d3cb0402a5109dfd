export { Frontier } from './frontier';
export { readConsistency, readFrontiers, readInclusion, writeFrontiers } from './store';
export {
  consistencySpans,
  EMPTY_ROOT,
  HASH_BYTES,
  inclusionSpans,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  type TreeHead,
} from './tree';
