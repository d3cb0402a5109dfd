import { createHash } from 'node:crypto';
import type { CallContext } from '../context';
import type { Queryable, Writer } from './queryable';
import { statement } from './statement';

/** How a command's answer is kept. */
export interface AnswerCodec<Res> {
  encode(answer: Res): Uint8Array;
  decode(bytes: Uint8Array): Res;
}

/** A key that a command wants to use. */
export interface Claim {
  readonly ctx: CallContext;
  readonly endpoint: string;
  readonly fingerprint: Buffer;
  readonly retention_s: number;
}

/** What became of a claim. */
export type Claimed =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'replay'; readonly answer: Buffer }
  | { readonly kind: 'changed' };

/** SHA-256 over the endpoint and the deterministic encoding of its request. */
export function fingerprintOf(endpoint: string, request: Uint8Array): Buffer {
  return createHash('sha256').update(endpoint).update('\0').update(request).digest();
}

interface KeyRow {
  institution_id: string;
  endpoint: string;
  key: string;
}

// Waits for a concurrent twin: the unique index blocks until that one ends. An
// expired record is taken over in place. Rows go in key order, so that two
// batches cannot wait for each other.
const CLAIM = statement<KeyRow>(
  'idempotency_claim',
  `INSERT INTO idempotency_records AS known (institution_id, endpoint, key, fingerprint, expires_at)
   SELECT institution_id, endpoint, key, fingerprint, now() + make_interval(secs => retention_s)
   FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::float8[])
     AS wanted (institution_id, endpoint, key, fingerprint, retention_s)
   ORDER BY institution_id, endpoint, key
   ON CONFLICT (institution_id, endpoint, key) DO UPDATE
     SET fingerprint = excluded.fingerprint, answer = NULL, created_at = now(),
         expires_at = excluded.expires_at
     WHERE known.expires_at <= now()
   RETURNING institution_id, endpoint, key`,
);

const LOOK_UP = statement<KeyRow & { fingerprint: Buffer; answer: Buffer | null }>(
  'idempotency_look_up',
  `SELECT institution_id, endpoint, key, fingerprint, answer
   FROM idempotency_records
   JOIN unnest($1::text[], $2::text[], $3::text[]) AS wanted (institution_id, endpoint, key)
   USING (institution_id, endpoint, key)`,
);

const STORE = statement(
  'idempotency_store',
  `UPDATE idempotency_records AS known SET answer = done.answer
   FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
     AS done (institution_id, endpoint, key, answer)
   WHERE (known.institution_id, known.endpoint, known.key)
       = (done.institution_id, done.endpoint, done.key)`,
);

const RELEASE = statement(
  'idempotency_release',
  `DELETE FROM idempotency_records AS known
   USING unnest($1::text[], $2::text[], $3::text[]) AS refused (institution_id, endpoint, key)
   WHERE (known.institution_id, known.endpoint, known.key)
       = (refused.institution_id, refused.endpoint, refused.key)`,
);

const SWEEP = statement(
  'idempotency_sweep',
  `DELETE FROM idempotency_records WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM idempotency_records WHERE expires_at <= now() LIMIT $1))`,
);

/** Whose key it is: persons act for no institution, and each has keys of its own. */
function ownerOf({ institution_id, actor }: CallContext): string {
  return actor.type === 'person' ? `person:${actor.id}` : institution_id;
}

/** Identifies a record; two claims with the same identity are twins. */
export function claimIdentity(claim: Pick<Claim, 'ctx' | 'endpoint'>): string {
  return `${ownerOf(claim.ctx)}\0${claim.endpoint}\0${claim.ctx.idempotency_key}`;
}

function keyColumns(claims: readonly Pick<Claim, 'ctx' | 'endpoint'>[]): unknown[] {
  return [
    claims.map((claim) => ownerOf(claim.ctx)),
    claims.map((claim) => claim.endpoint),
    claims.map((claim) => claim.ctx.idempotency_key),
  ];
}

/** Claims keys inside the command's transaction. The claims must hold no twins. */
export async function claimKeys(on: Queryable, claims: readonly Claim[]): Promise<Claimed[]> {
  if (claims.length === 0) return [];
  const rowIdentity = (row: KeyRow) => `${row.institution_id}\0${row.endpoint}\0${row.key}`;
  const fresh = new Set(
    (
      await on.query(CLAIM, [
        ...keyColumns(claims),
        claims.map((claim) => claim.fingerprint),
        claims.map((claim) => claim.retention_s),
      ])
    ).map(rowIdentity),
  );
  const taken = claims.filter((claim) => !fresh.has(claimIdentity(claim)));
  const known = new Map(
    taken.length === 0
      ? []
      : (await on.query(LOOK_UP, keyColumns(taken))).map((row) => [rowIdentity(row), row]),
  );
  return claims.map((claim): Claimed => {
    const identity = claimIdentity(claim);
    if (fresh.has(identity)) return { kind: 'fresh' };
    const record = known.get(identity);
    if (record?.answer == null)
      throw new Error('An idempotency record vanished while it was read.');
    if (!record.fingerprint.equals(claim.fingerprint)) return { kind: 'changed' };
    return { kind: 'replay', answer: record.answer };
  });
}

/** Keeps answers beside their keys, in the command's transaction. */
export function storeAnswers(
  on: Writer,
  answers: readonly { claim: Claim; answer: Uint8Array }[],
): void {
  if (answers.length === 0) return;
  on.write(STORE, [
    ...keyColumns(answers.map((entry) => entry.claim)),
    answers.map((entry) => Buffer.from(entry.answer)),
  ]);
}

/** Frees the keys of refused commands in a transaction that others commit with. */
export function releaseKeys(on: Writer, claims: readonly Claim[]): void {
  if (claims.length > 0) on.write(RELEASE, keyColumns(claims));
}

/** Deletes up to `limit` expired records; returns how many. */
export function sweepKeys(on: Queryable, limit: number): Promise<number> {
  return on.execute(SWEEP, [limit]);
}
