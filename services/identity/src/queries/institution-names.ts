import type { CallContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { invalid } from '@credit/platform/errors';
import { personOf, uuidFrom } from '@credit/platform/requests';
import { institutionNames } from '../store/institutions';

/** As many as a file can name: of accounts, inquiries, thaws and statements. */
const MAX_IDS = 2_000;

/** What the institutions are called that a person's own file names. */
export async function nameInstitutions(
  db: Database,
  ctx: CallContext,
  wanted: readonly string[],
): Promise<{ id: string; name: string }[]> {
  personOf(ctx);
  if (wanted.length > MAX_IDS) throw invalid('institution_ids', `must be ${MAX_IDS} at most`);
  const ids = wanted.map((id, index) => uuidFrom(`institution_ids[${index}]`, id));
  return ids.length === 0 ? [] : institutionNames(db.read(ctx), ids);
}
