import { type Queryable, statement } from '@credit/platform/db';
import type { Role } from '../domain/roles';

/** An invitation; its token is known to nobody but the invited. */
export interface Invitation {
  readonly id: string;
  readonly institution_id: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: string;
  /** Not accepted and not expired. */
  readonly is_open: boolean;
}

const COLUMNS = `id, institution_id, email, role, expires_at,
  accepted_at IS NULL AND expires_at > now() AS is_open`;

const INSERT = statement<Invitation>(
  'invitations_insert',
  `INSERT INTO invitations (id, institution_id, email, role, token_hash, invited_by, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
   RETURNING ${COLUMNS}`,
);

const FIND = statement<Invitation>(
  'invitations_find',
  `SELECT ${COLUMNS} FROM invitations
   WHERE id = (SELECT id FROM invitations WHERE token_hash = $1
               UNION ALL SELECT invitation_id FROM invitation_tokens WHERE token_hash = $1)`,
);

const LOCK = statement<Invitation>(
  'invitations_lock',
  `SELECT ${COLUMNS} FROM invitations WHERE id = $1 FOR UPDATE`,
);

const ACCEPT = statement(
  'invitations_accept',
  'UPDATE invitations SET accepted_by = $2, accepted_at = now() WHERE id = $1',
);

/** An invitation to be made. */
export interface NewInvitation {
  readonly id: string;
  readonly institution_id: string;
  readonly email: string;
  readonly role: Role;
  readonly token_hash: Buffer;
  readonly invited_by: string;
  readonly lifetime_s: number;
}

export function insertInvitation(on: Queryable, row: NewInvitation): Promise<Invitation> {
  return on.one(INSERT, [
    row.id,
    row.institution_id,
    row.email,
    row.role,
    row.token_hash,
    row.invited_by,
    row.lifetime_s,
  ]);
}

export function findInvitation(on: Queryable, token_hash: Buffer): Promise<Invitation | undefined> {
  return on.maybe(FIND, [token_hash]);
}

export function lockInvitation(on: Queryable, id: string): Promise<Invitation | undefined> {
  return on.maybe(LOCK, [id]);
}

export async function markAccepted(on: Queryable, id: string, user_id: string): Promise<void> {
  await on.execute(ACCEPT, [id, user_id]);
}
