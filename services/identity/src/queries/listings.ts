import type { CallContext } from '@credit/platform/context';
import type { Database, Queryable } from '@credit/platform/db';
import {
  type CountedPage,
  cursorFault,
  idFromCursor,
  type Page,
  type PageRequest,
  readPage,
} from '@credit/platform/requests';
import { toTimestamp } from '@credit/platform/runtime';
import { isUuid } from '@credit/platform/values';
import { needsUser } from '../commands/actor';
import type { ApiKey } from '../domain/api-keys';
import type { Application } from '../domain/applications';
import { type AuditRecord, NETWORK_CHAIN_ID } from '../domain/audit-chain';
import type { ContactRequest } from '../domain/contact-requests';
import type { Institution } from '../domain/institutions';
import type { User } from '../domain/users';
import { listApiKeyRows } from '../store/api-keys';
import {
  type ApplicationFilter,
  countApplicationRows,
  listApplicationRows,
} from '../store/applications';
import { type AuditFilter, listAuditRows } from '../store/audit';
import {
  type ContactRequestFilter,
  countContactRequestRows,
  listContactRequestRows,
} from '../store/contact-requests';
import {
  countInstitutionRows,
  type InstitutionFilter,
  listInstitutionRows,
  listPublicInstitutionRows,
} from '../store/institutions';
import { type Invitation, listInvitationRows } from '../store/invitations';
import { findNames } from '../store/names';
import { listSessionRows, type Session } from '../store/sessions';
import { countUserRows, listUserRows, type UserFilter } from '../store/users';
import { pairCursor } from './page';

/** A line of the log, with what people call who acted and what it was done to. */
export interface NamedRecord extends AuditRecord {
  readonly actor_name: string | undefined;
  readonly target_name: string | undefined;
}

/** Applications, newest first. */
export async function listApplications(
  db: Database,
  ctx: CallContext,
  request: PageRequest & ApplicationFilter,
): Promise<CountedPage<Application>> {
  const on = db.read(ctx);
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listApplicationRows(on, request, after, limit);
  const page = await readPage(request, read, (last) => [last.id]);
  return { ...page, total_count: await countApplicationRows(on, request) };
}

/** Messages to the network's operators, newest first. */
export async function listContactRequests(
  db: Database,
  ctx: CallContext,
  request: PageRequest & ContactRequestFilter,
): Promise<CountedPage<ContactRequest>> {
  const on = db.read(ctx);
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listContactRequestRows(on, request, after, limit);
  const page = await readPage(request, read, (last) => [last.id]);
  return { ...page, total_count: await countContactRequestRows(on, request) };
}

/** Institutions, newest first. */
export async function listInstitutions(
  db: Database,
  ctx: CallContext,
  request: PageRequest & InstitutionFilter,
): Promise<CountedPage<Institution>> {
  const on = db.read(ctx);
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listInstitutionRows(on, request, after, limit);
  const page = await readPage(request, read, (last) => [last.id]);
  return { ...page, total_count: await countInstitutionRows(on, request) };
}

/** Active institutions that are publicly listed, by name. */
export async function listPublicInstitutions(
  db: Database,
  ctx: CallContext,
  request: PageRequest,
): Promise<Page<Institution>> {
  const cursor = pairCursor(request);
  const after = cursor === undefined ? undefined : { name: cursor.first, id: cursor.id };
  const read = (limit: number) => listPublicInstitutionRows(db.read(ctx), after, limit);
  return readPage(request, read, (last) => [last.name, last.id]);
}

/** User accounts of the network, newest first. */
export async function listUsers(
  db: Database,
  ctx: CallContext,
  request: PageRequest & UserFilter,
): Promise<CountedPage<User>> {
  const on = db.read(ctx);
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listUserRows(on, request, after, limit);
  const page = await readPage(request, read, (last) => [last.id]);
  return { ...page, total_count: await countUserRows(on, request) };
}

/** Users of the caller's institution, newest first. */
export async function listMembers(
  db: Database,
  ctx: CallContext,
  request: PageRequest & Pick<UserFilter, 'q' | 'status'>,
): Promise<CountedPage<User>> {
  return listUsers(db, ctx, { ...request, institution_id: institutionOf(ctx) });
}

/** The calling user's sessions that are not over, newest first. */
export async function listSessions(
  db: Database,
  ctx: CallContext,
  request: PageRequest,
): Promise<Page<Session>> {
  if (ctx.actor.type !== 'user') throw needsUser();
  const { id: user_id } = ctx.actor;
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listSessionRows(db.read(ctx), user_id, after, limit);
  return readPage(request, read, (last) => [last.id]);
}

/** The caller's institution's keys, newest first. */
export async function listApiKeys(
  db: Database,
  ctx: CallContext,
  request: PageRequest,
): Promise<Page<ApiKey>> {
  const institution_id = institutionOf(ctx);
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listApiKeyRows(db.read(ctx), institution_id, after, limit);
  return readPage(request, read, (last) => [last.id]);
}

/** The caller's institution's open invitations, newest first. */
export async function listInvitations(
  db: Database,
  ctx: CallContext,
  request: PageRequest,
): Promise<Page<Invitation>> {
  const institution_id = institutionOf(ctx);
  const after = idFromCursor(request.cursor);
  const read = (limit: number) => listInvitationRows(db.read(ctx), institution_id, after, limit);
  return readPage(request, read, (last) => [last.id]);
}

/** The caller's institution's audit log, newest first. */
export async function listAuditEvents(
  db: Database,
  ctx: CallContext,
  request: PageRequest & AuditFilter,
): Promise<Page<NamedRecord>> {
  return listChain(db, ctx, institutionOf(ctx), request);
}

/** The network's own log: its administrators' acts, and what is no institution's; newest first. */
export async function listNetworkAuditEvents(
  db: Database,
  ctx: CallContext,
  request: PageRequest & AuditFilter,
): Promise<Page<NamedRecord>> {
  return listChain(db, ctx, NETWORK_CHAIN_ID, request);
}

async function listChain(
  db: Database,
  ctx: CallContext,
  chain_id: string,
  request: PageRequest & AuditFilter,
): Promise<Page<NamedRecord>> {
  const cursor = pairCursor(request);
  if (cursor !== undefined && !isTimestamp(cursor.first)) {
    throw cursorFault();
  }
  const after = cursor === undefined ? undefined : { at: cursor.first, id: cursor.id };
  const on = db.read(ctx);
  const read = (limit: number) => listAuditRows(on, chain_id, request, after, limit);
  const page = await readPage(request, read, (last) => [last.at, last.id]);
  return { ...page, items: await withNames(on, chain_id, page.items) };
}

/**
 * Names are not of the log: what it holds for ever are ids, and a name is what it is now. An
 * institution is told those of its own; who runs the network goes without a name there.
 */
async function withNames(
  on: Queryable,
  chain_id: string,
  records: readonly AuditRecord[],
): Promise<NamedRecord[]> {
  const ids = new Set(records.flatMap(({ actor_id, target_id }) => [actor_id, target_id]));
  const owner = chain_id === NETWORK_CHAIN_ID ? undefined : chain_id;
  const named = await findNames(on, [...ids].filter(isUuid), owner);
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return records.map((record) => ({
    ...record,
    actor_name: names.get(record.actor_id),
    target_name: names.get(record.target_id),
  }));
}

/** These are for users of an institution: a key or a platform user without one has none to show. */
export function institutionOf(ctx: CallContext): string {
  if (ctx.actor.type !== 'user' || ctx.institution_id === '') throw needsUser();
  return ctx.institution_id;
}

/** As the log writes it: Date.parse alone also takes what the database does not. */
function isTimestamp(text: string): boolean {
  const at_ms = Date.parse(text);
  return (
    at_ms >= 0 && text.length === '2026-01-01T00:00:00.000Z'.length && toTimestamp(at_ms) === text
  );
}
