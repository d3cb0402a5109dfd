import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { notFound } from '@credit/platform/errors';
import type { Institution, InstitutionDetail } from '../domain/institutions';
import { findInstitution, findInstitutionDetail } from '../store/institutions';
import { institutionOf } from './listings';

/** An institution with what it has, for those who run the network. */
export async function readInstitution(
  db: Database,
  ctx: CallContext,
  id: string,
): Promise<InstitutionDetail> {
  const found = await findInstitutionDetail(db.read(ctx), id);
  if (found === undefined) throw notFound('There is no such institution.');
  return found;
}

/** The calling user's institution. */
export async function readOwnInstitution(db: Database, ctx: CallContext): Promise<Institution> {
  const found = await findInstitution(db.read(ctx), institutionOf(ctx));
  if (found === undefined) throw notFound('There is no such institution.');
  return found;
}
