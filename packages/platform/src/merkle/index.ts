export {
  type Checkpoint,
  CheckpointKeys,
  CheckpointVerifier,
  eventsOrigin,
  keyIdOf,
  noteOf,
  type PublicKey,
  parseNote,
  readKey,
  SIGNER,
  type SignatureFault,
  type SignedCheckpoint,
} from './checkpoints';
export { Frontier } from './frontier';
export { readConsistency, readFrontiers, readInclusion, readLeaf, writeFrontiers } from './store';
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
