import { type Queryable, statement } from '@credit/platform/db';

/** What people call the thing of an id. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

// Whatever of identity's an id may be of; what is another institution's stays without a name.
const FIND = statement<Named>(
  'names_find',
  `SELECT id, name FROM (
     SELECT id, display_name AS name, institution_id FROM users WHERE id = ANY ($1)
     UNION ALL
     SELECT id, display_name, institution_id FROM api_keys WHERE id = ANY ($1)
     UNION ALL
     SELECT id, email, institution_id FROM invitations WHERE id = ANY ($1)
     UNION ALL
     SELECT id, institution_name, institution_id FROM applications WHERE id = ANY ($1)
     UNION ALL
     SELECT id, name, id FROM institutions WHERE id = ANY ($1)
   ) AS named
   WHERE $2::uuid IS NULL OR institution_id = $2`,
);

/** Names of what has one of the ids, as far as it belongs to the institution; undefined: to any. */
export function findNames(
  on: Queryable,
  ids: readonly string[],
  institution_id: string | undefined,
): Promise<Named[]> {
  return on.query(FIND, [ids, institution_id]);
}
