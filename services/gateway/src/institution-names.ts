import type { CallContext } from '@credit/platform/context';
import type { Clients } from './clients';

/** An institution as a person is told of it; without a name where the network has no such institution. */
export interface NamedInstitution {
  readonly id: string;
  readonly name: string | undefined;
}

/** Asks for the names of institutions, each once; what is answered names one of them. */
export async function institutionNames(
  { identity }: Pick<Clients, 'identity'>,
  ctx: CallContext,
  ids: Iterable<string>,
): Promise<(id: string) => NamedInstitution> {
  const { names } = await identity.nameInstitutions(ctx, { institution_ids: [...new Set(ids)] });
  const name_of = new Map(names.map(({ id, name }) => [id, name]));
  return (id) => ({ id, name: name_of.get(id) });
}
