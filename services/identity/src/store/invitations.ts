import { batchStatement, type Queryable, statement } from '@credit/platform/db';
import type { Role } from '@credit/platform/values';
import type { EndedBecause, InvitedAs } from '../domain/invitations';

/** An invitation; its token is known to nobody but the inviter and the invited. */
export interface Invitation {
  readonly id: string;
  readonly institution_id: string;
  readonly email: string;
  readonly role: Role;
  readonly invited_by: string | undefined;
  readonly expires_at: string;
  readonly created_at: string;
  readonly is_accepted: boolean;
  /** Not accepted, not ended and not expired. */
  readonly is_open: boolean;
}

/** An invitation that waits, with what its right depends on. */
export interface GivenInvitation extends Invitation {
  readonly invited_as: InvitedAs;
}

// Neither accepted nor ended: the condition of the partial indexes.
const WAITING = 'accepted_at IS NULL AND ended_at IS NULL';

const COLUMNS = `id, institution_id, email, role, invited_by, expires_at, created_at,
  accepted_at IS NOT NULL AS is_accepted, ${WAITING} AND expires_at > now() AS is_open`;

const INSERT = batchStatement(
  'invitations_insert',
  {
    id: 'uuid',
    institution_id: 'uuid',
    email: 'text',
    email_key: 'text',
    role: 'text',
    token_hash: 'bytea',
    invited_by: 'uuid',
    invited_as: 'text',
    lifetime_s: 'double precision',
  },
  ({ lifetime_s, ...row }) =>
    `INSERT INTO invitations (${Object.keys(row).join(', ')}, expires_at)
   VALUES (${Object.values(row).join(', ')}, now() + make_interval(secs => ${lifetime_s}))
   RETURNING ${COLUMNS}`,
).answering<Invitation>();

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

const LOCK_OF_INSTITUTION = statement<Invitation>(
  'invitations_lock_of_institution',
  `SELECT ${COLUMNS} FROM invitations WHERE id = $1 AND institution_id = $2 FOR UPDATE`,
);

const ACCEPT = statement(
  'invitations_accept',
  'UPDATE invitations SET accepted_by = $2, accepted_at = now() WHERE id = $1',
);

const END = statement(
  'invitations_end',
  `UPDATE invitations SET ended_at = now(), ended_because = $2 WHERE id = ANY ($1) AND ${WAITING}`,
);

const LOCK_OF_ADDRESS = statement<Invitation>(
  'invitations_lock_of_address',
  `SELECT ${COLUMNS} FROM invitations
   WHERE institution_id = $1 AND email_key = $2 AND ${WAITING} FOR UPDATE`,
);

// In id order, so that two changes of users cannot deadlock.
const LOCK_OF_INVITER = statement<GivenInvitation>(
  'invitations_lock_of_inviter',
  `SELECT ${COLUMNS}, invited_as FROM invitations
   WHERE invited_by = $1 AND ${WAITING} ORDER BY id FOR UPDATE`,
);

const COUNT_OPEN = statement<{ count: number }>(
  'invitations_count_open',
  `SELECT count(*)::int AS count FROM invitations
   WHERE institution_id = $1 AND ${WAITING} AND expires_at > now()`,
);

const LIST = statement<Invitation>(
  'invitations_list',
  `SELECT ${COLUMNS} FROM invitations
   WHERE institution_id = $1 AND ${WAITING} AND expires_at > now()
     AND ($2::uuid IS NULL OR id < $2)
   ORDER BY id DESC LIMIT $3`,
);

/** An invitation to be made. */
export interface NewInvitation {
  readonly id: string;
  readonly institution_id: string;
  readonly email: string;
  readonly email_key: string;
  readonly role: Role;
  readonly token_hash: Buffer;
  readonly invited_by: string;
  readonly invited_as: InvitedAs;
  readonly lifetime_s: number;
}

export function insertInvitation(on: Queryable, row: NewInvitation): Promise<Invitation> {
  return on.one(INSERT, INSERT.values(row));
}

export function findInvitation(on: Queryable, token_hash: Buffer): Promise<Invitation | undefined> {
  return on.maybe(FIND, [token_hash]);
}

export function lockInvitation(on: Queryable, id: string): Promise<Invitation | undefined> {
  return on.maybe(LOCK, [id]);
}

export function lockInvitationOf(
  on: Queryable,
  institution_id: string,
  id: string,
): Promise<Invitation | undefined> {
  return on.maybe(LOCK_OF_INSTITUTION, [id, institution_id]);
}

export async function markAccepted(on: Queryable, id: string, user_id: string): Promise<void> {
  await on.execute(ACCEPT, [id, user_id]);
}

/** Ends what is still waiting of them: their tokens are good no more, the mailed ones too. */
export async function endInvitations(
  on: Queryable,
  ids: readonly string[],
  because: EndedBecause,
): Promise<void> {
  if (ids.length > 0) await on.execute(END, [ids, because]);
}

/** What waits for the address in the institution, expired or not; the rows are locked. */
export function lockWaitingOfAddress(
  on: Queryable,
  institution_id: string,
  email_key: string,
): Promise<Invitation[]> {
  return on.query(LOCK_OF_ADDRESS, [institution_id, email_key]);
}

/** What waits of an inviter's; the rows are locked. */
export function lockWaitingOfInviter(
  on: Queryable,
  invited_by: string,
): Promise<GivenInvitation[]> {
  return on.query(LOCK_OF_INVITER, [invited_by]);
}

export async function countOpenInvitations(on: Queryable, institution_id: string): Promise<number> {
  return (await on.one(COUNT_OPEN, [institution_id])).count;
}

/** The institution's open ones, newest first, after the invitation `after_id`. */
export function listInvitationRows(
  on: Queryable,
  institution_id: string,
  after_id: string | undefined,
  limit: number,
): Promise<Invitation[]> {
  return on.query(LIST, [institution_id, after_id, limit]);
}
