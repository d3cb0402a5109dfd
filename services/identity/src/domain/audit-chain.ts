import { createHash } from 'node:crypto';

/** One line of the audit log, as it is hashed. */
export interface AuditRecord {
  /** The institution, or the nil id for the network's own log. */
  readonly chain_id: string;
  /** From 1, without gaps. */
  readonly sequence: bigint;
  readonly id: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly environment: string;
  readonly request_id: string;
  readonly ip: string;
  /** JSON text. */
  readonly changes: string;
}

/** A record with its place in the chain. */
export interface ChainedRecord extends AuditRecord {
  readonly prev_hash: Buffer;
  readonly hash: Buffer;
}

/** The chain of the events that belong to no institution. */
export const NETWORK_CHAIN_ID = '00000000-0000-0000-0000-000000000000';

/** What the first record of a chain follows. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

/**
 * A record as it is hashed, in the chain and as an entry of the log's tree: the previous hash and
 * every field, all of them strings. No two contents share a text. Ids hold 74 bits of chance, so
 * that who only has the hash cannot find the content by guessing.
 */
export function recordText(record: AuditRecord, prev_hash: Buffer): string {
  return JSON.stringify([
    prev_hash.toString('hex'),
    record.chain_id,
    record.sequence.toString(),
    record.id,
    record.at,
    record.actor_type,
    record.actor_id,
    record.action,
    record.target_type,
    record.target_id,
    record.environment,
    record.request_id,
    record.ip,
    record.changes,
  ]);
}

/** SHA-256 over {@link recordText}. */
export function chainHash(record: AuditRecord, prev_hash: Buffer): Buffer {
  return createHash('sha256').update(recordText(record, prev_hash)).digest();
}

/** Where a chain ends. */
export interface ChainHead {
  readonly sequence: bigint;
  readonly hash: Buffer;
}

/** Where and how a chain is broken. */
export interface ChainFault {
  readonly sequence: bigint;
  readonly problem:
    | 'missing'
    | 'altered'
    | 'unlinked'
    | 'cut off'
    /** A checkpoint covers more than there is. */
    | 'truncated'
    /** A checkpoint covers other records. */
    | 'rewritten'
    /** A checkpoint's signature. */
    | 'forged'
    | 'unknown key'
    /** For hours no checkpoint has covered the record. */
    | 'unsigned';
}

/**
 * Follows a chain record by record, from its start to the head that was stored
 * apart from it. Feed the records in order, then ask for the end.
 */
export class ChainVerifier {
  /** Goes on after what was dropped; from the start without it. */
  constructor(
    private sequence = 0n,
    private hash = CHAIN_START,
  ) {}

  /** The first thing wrong with the next record, if any. */
  next(record: ChainedRecord): ChainFault | undefined {
    const expected = this.sequence + 1n;
    if (record.sequence !== expected) return { sequence: expected, problem: 'missing' };
    if (!record.prev_hash.equals(this.hash)) return { sequence: expected, problem: 'unlinked' };
    const hash = chainHash(record, this.hash);
    if (!record.hash.equals(hash)) return { sequence: expected, problem: 'altered' };
    this.sequence = expected;
    this.hash = hash;
    return undefined;
  }

  /** What is wrong with the end, if anything: records after it were taken away or added. */
  end(head: ChainHead): ChainFault | undefined {
    if (this.sequence === head.sequence && this.hash.equals(head.hash)) return undefined;
    return { sequence: this.sequence + 1n, problem: 'cut off' };
  }

  /** How many records were right. */
  get verified(): bigint {
    return this.sequence;
  }
}
