import { systemContext } from '@credit/platform/context';
import type { Database } from '@credit/platform/db';
import { type Collision, pageOfCollisions } from '../store/name-normalisation';

const PAGE = 1_000;

/**
 * Prints which records turned out to be told apart by nothing but what is not compared, of all
 * environments: ids alone, for names are nobody's business in a terminal's history.
 */
export async function listCollisionsCommand(
  db: Database,
  print: (line: string) => void,
): Promise<void> {
  for (const environment of db.environments) {
    const on = db.read(systemContext(environment));
    let count = 0;
    let page: Collision[];
    let last: Collision | undefined;
    do {
      page = await pageOfCollisions(on, last, PAGE);
      for (const { kind, record_id, existing_id } of page) {
        print(`  ${kind}: ${record_id} has that of ${existing_id ?? 'the network'}`);
      }
      count += page.length;
      last = page.at(-1);
    } while (page.length === PAGE);
    print(`${environment}: ${count} collisions`);
  }
}
