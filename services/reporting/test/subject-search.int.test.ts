import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SubjectType } from '@credit/proto/reporting/v1/types';
import fc from 'fast-check';
import { HOOK_TIMEOUT_MS, institution, newAccount, useHarness } from './harness';

const harness = useHarness();
const lender = institution();

/** Every page of a search: the ids on each. */
async function pagesOf(q: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await harness.reporting.searchSubjects(lender, { q, limit, cursor });
    pages.push(page.subjects.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return pages;
}

/** What a search must find, by reading everything. */
async function held(q: string): Promise<string[]> {
  const rows = await harness.rows<{ id: string }>(
    'live',
    `SELECT id FROM subjects
     WHERE EXISTS (
       SELECT FROM unnest(string_to_array(search_text, chr(10))) AS name WHERE strpos(name, $1) > 0
     )
     ORDER BY id DESC`,
    [q],
  );
  return rows.map(({ id }) => id);
}

/** Writes subjects with ids that rise from `first_id` on. */
async function write(first_id: number, search_texts: readonly string[]): Promise<void> {
  await harness.rows(
    'live',
    `INSERT INTO subjects (id, type, created_by_institution_id, search_text, created_at, updated_at)
     SELECT (lpad(to_hex($2 + n), 12, '0') || '70008000000000000000')::uuid, 'INDIVIDUAL', $3,
       search_text, now(), now()
     FROM unnest($1::text[]) WITH ORDINALITY AS new (search_text, n)`,
    [search_texts, first_id, randomUUID()],
  );
}

/** Above the ids of today. */
const LATER = 0xf000_0000_0000;

test(
  'finds in pages exactly what reading everything finds, in its order',
  async () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'ß', '𝄞', '%', '_', '\\', "'"),
      minLength: 2,
      maxLength: 12,
    });
    const names = fc.sample(name, { seed: 7, numRuns: 2_000 });
    await write(
      0,
      names.slice(0, 1_500).map((first, index) => `${first}\n${names[index + 500]}`),
    );
    const q = name.filter((text) => !text.includes('ß')).map((text) => text.slice(0, 6));
    await fc.assert(
      fc.asyncProperty(q, fc.constantFrom(1, 7, 100), async (text, limit) => {
        const expected = await held(text);
        // A page a hit would take long for what very many hold.
        const pages = await pagesOf(text, expected.length > 50 ? 100 : limit);
        expect(pages.flat()).toEqual(expected);
      }),
      { seed: 11, numRuns: 60 },
    );
  },
  HOOK_TIMEOUT_MS,
);

describe('a text that few hold, though very many hold each of its pieces', () => {
  const FILLERS = 2_500;
  let renamed_id: string;

  beforeAll(async () => {
    const { subject } = await harness.reporting.createSubject(lender, {
      type: SubjectType.INDIVIDUAL,
      game_uuid: randomUUID(),
      current_username: 'Old Millerson',
    });
    renamed_id = subject?.id ?? '';
    await newAccount(harness.reporting, lender, { subject_id: renamed_id });
    harness.clock.offset_ms += 86_400_000;
    await harness.reporting.updateSubject(lender, {
      subject_id: renamed_id,
      current_username: 'quite another',
    });
    await write(
      LATER,
      Array.from({ length: FILLERS }, (_unused, index) =>
        [300, 1_000, 1_001].includes(index) ? 'the millersons' : `miller ${index} anderson`,
      ),
    );
  }, HOOK_TIMEOUT_MS);

  test('is found over pages that may be short, by old names too, none twice', async () => {
    const expected = await held('millerson');
    expect(expected).toHaveLength(4);
    expect(expected.at(-1)).toBe(renamed_id);
    const pages = await pagesOf('MILLERSON', 25);
    expect(pages.flat()).toEqual(expected);
    // Whatever the text, a request looks at a bounded number of subjects.
    expect(pages[0]).toEqual([]);
    expect(pages.length).toBeLessThanOrEqual(Math.ceil(FILLERS / 750) + 1);
  });

  test('fills its pages when they are small', async () => {
    const pages = await pagesOf('millerson', 1);
    expect(pages.flat()).toEqual(await held('millerson'));
    expect(Math.max(...pages.map((page) => page.length))).toBe(1);
  });

  test('does not stand in the way of what one rare piece tells', async () => {
    for (const q of ['miller 4', 'miller 2499 anderson', 'ller 77 and']) {
      const [page = []] = await pagesOf(q, 25);
      expect(page).toEqual((await held(q)).slice(0, 25));
    }
    expect(await pagesOf('miller qx', 25)).toEqual([[]]);
  });
});

test('subjects from before their pieces were listed are found after the migration', async () => {
  await write(LATER + 100_000, ['from before the lists']);
  const id = (await held('from before'))[0];
  await harness.rows('live', 'DELETE FROM subject_grams WHERE subject_id = $1', [id]);
  expect((await pagesOf('from before', 25)).flat()).toEqual([]);
  const file = path.join(__dirname, '../migrations/0005_subject_grams_of_all.sql');
  await harness.rows('live', readFileSync(file, 'utf8'));
  expect((await pagesOf('from before', 25)).flat()).toEqual([id]);
});
