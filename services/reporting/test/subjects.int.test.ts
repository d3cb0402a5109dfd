import { randomUUID } from 'node:crypto';
import type { CreateSubjectRequest } from '@credit/proto/reporting/v1/reporting';
import { OrganisationKind, SubjectType } from '@credit/proto/reporting/v1/types';
import { institution, refusal, useHarness } from './harness';

const harness = useHarness();

const lender = institution();

function individual(overrides: Partial<CreateSubjectRequest> = {}): CreateSubjectRequest {
  return {
    type: SubjectType.INDIVIDUAL,
    game_uuid: randomUUID(),
    current_username: `user-${randomUUID()}`,
    ...overrides,
  };
}

function organisation(overrides: Partial<CreateSubjectRequest> = {}): CreateSubjectRequest {
  return { type: SubjectType.ORGANISATION, legal_name: `Firm ${randomUUID()}`, ...overrides };
}

async function create(request: CreateSubjectRequest) {
  const { subject } = await harness.reporting.createSubject(lender, request);
  if (subject === undefined) throw new Error('no subject');
  return subject;
}

const duplicate = { code: 'INVALID_STATE_TRANSITION' };

describe('an individual', () => {
  test('is created, read by id and by game UUID', async () => {
    const request = individual({ forum_id: 'f-1' });
    const subject = await create({ ...request, game_uuid: request.game_uuid?.toUpperCase() });
    expect(subject).toMatchObject({ ...request, display_name: request.current_username });
    const { subject: byId } = await harness.reporting.getSubject(lender, {
      subject_id: subject.id,
    });
    const { subject: byUuid } = await harness.reporting.getSubjectByGameUuid(lender, {
      game_uuid: request.game_uuid ?? '',
    });
    expect([byId, byUuid]).toEqual([subject, subject]);
    const audit = (await harness.outbox()).at(-1)?.payload;
    expect(audit).toMatchObject({ value: { action: 'subject.created', target_id: subject.id } });
  });

  test('unknown is 404', async () => {
    for (const call of [
      harness.reporting.getSubject(lender, { subject_id: randomUUID() }),
      harness.reporting.getSubjectByGameUuid(lender, { game_uuid: randomUUID() }),
    ]) {
      expect(await refusal(call)).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('with the same game UUID, forum id or name is 409', async () => {
    const first = individual({ forum_id: 'Forum 7', current_username: 'Straße ﬁne' });
    await create(first);
    expect(await refusal(create(individual({ game_uuid: first.game_uuid })))).toMatchObject(
      duplicate,
    );
    expect(await refusal(create(individual({ forum_id: ' forum  7' })))).toMatchObject(duplicate);
    expect(await refusal(create(individual({ current_username: 'STRASSE fine' })))).toMatchObject(
      duplicate,
    );
  });

  test.each(['\u200b', '\u00ad', '\u2060', '\u202e', '\ufeff', '\u3164', '\u0001'])(
    'that differs by the invisible %j only is 409 and names the other',
    async (unseen) => {
      const name = `twin ${randomUUID()}`;
      const request = individual({ current_username: name, forum_id: `f ${name}` });
      const first = await create(request);
      const existing = { ...duplicate, existing_id: first.id };
      const spoilt = (text: string) => `${unseen}${text.slice(0, 7)}${unseen}${text.slice(7)}`;
      for (const names of [{ current_username: spoilt(name) }, { forum_id: spoilt(`f ${name}`) }]) {
        expect(await refusal(create(individual(names)))).toMatchObject(existing);
      }
      const firm = organisation({ legal_name: name, registration_number: `R-${name}` });
      const { id: existing_id } = await create(firm);
      for (const names of [
        { legal_name: spoilt(name) },
        { registration_number: spoilt(`R-${name}`) },
        { registration_number: ` R-${name}\t` },
      ]) {
        expect(await refusal(create(organisation(names)))).toMatchObject({
          ...duplicate,
          existing_id,
        });
      }
    },
  );

  test('shows something in every name, and is as long as people count', async () => {
    for (const blank of ['\u200b', '\u2800 \u3164', '\u202e\u2060', '\u0301']) {
      expect(await refusal(create(individual({ current_username: blank })))).toMatchObject({
        code: 'VALIDATION_ERROR',
        paths: ['current_username'],
      });
      expect(
        await refusal(
          create(
            organisation({
              legal_name: blank,
              trading_name: blank,
              registration_number: blank,
              forum_id: blank,
            }),
          ),
        ),
      ).toMatchObject({ paths: ['forum_id', 'trading_name', 'legal_name', 'registration_number'] });
    }
    const longest = '🏦'.repeat(200);
    expect(await create(individual({ current_username: longest }))).toMatchObject({
      current_username: longest,
    });
  });

  test('with a recycled name passes once confirmed, with the same game UUID never', async () => {
    const first = individual({ current_username: 'recycled' });
    await create(first);
    const confirmed = { confirm_distinct: true, distinct_note: 'met both of them' };
    expect(
      await refusal(create(individual({ current_username: 'Recycled', confirm_distinct: true }))),
    ).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['distinct_note'] });
    const second = await create(individual({ current_username: 'Recycled', ...confirmed }));
    const audit = (await harness.outbox()).at(-1)?.payload;
    expect(audit).toMatchObject({
      value: { target_id: second.id, changes_json: expect.stringContaining('met both of them') },
    });
    await create(individual({ current_username: 'RECYCLED', ...confirmed }));
    expect(
      await refusal(create(individual({ game_uuid: first.game_uuid, ...confirmed }))),
    ).toMatchObject(duplicate);
  });

  test('of 10 concurrent ones with the same name is one', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => create(individual({ current_username: 'race' }))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('with a wrong shape names each field', async () => {
    expect(
      await refusal(
        create({
          type: SubjectType.INDIVIDUAL,
          game_uuid: 'x',
          current_username: '  ',
          legal_name: 'Firm',
          founded_at: '2020-01-01T00:00:00.000Z',
        }),
      ),
    ).toMatchObject({
      code: 'VALIDATION_ERROR',
      paths: ['legal_name', 'founded_at', 'game_uuid', 'current_username'],
    });
    expect(await refusal(create({ type: SubjectType.UNSPECIFIED }))).toMatchObject({
      paths: ['type'],
    });
  });
});

describe('an organisation', () => {
  test('shows its trading name, else its legal name', async () => {
    const request = organisation({
      trading_name: 'Shop',
      registration_number: 'HRB 12',
      organisation_kind: OrganisationKind.COMPANY,
      founded_at: '1999-05-01T00:00:00.000Z',
    });
    expect(await create(request)).toMatchObject({ ...request, display_name: 'Shop' });
    const plain = organisation();
    expect(await create(plain)).toMatchObject({ display_name: plain.legal_name });
  });

  test('with the same registration number is 409, confirmed or not', async () => {
    await create(organisation({ registration_number: 'AB-77' }));
    const again = organisation({ registration_number: 'a b-77' });
    expect(await refusal(create(again))).toMatchObject(duplicate);
    const confirmed = { ...again, confirm_distinct: true, distinct_note: 'really' };
    expect(await refusal(create(confirmed))).toMatchObject(duplicate);
  });

  test('with the same legal name is 409 unless their registration numbers differ', async () => {
    const legal_name = 'Müller & Söhne';
    await create(organisation({ legal_name, registration_number: 'R1' }));
    const unnumbered = organisation({ legal_name: 'MÜLLER &  söhne' });
    expect(await refusal(create(unnumbered))).toMatchObject(duplicate);
    await create({ ...unnumbered, registration_number: 'R2' });
    await create({ ...unnumbered, confirm_distinct: true, distinct_note: 'of another town' });
  });

  test('may share its forum id', async () => {
    await create(organisation({ forum_id: 'guild-1' }));
    await create(organisation({ forum_id: 'guild-1' }));
  });
});

describe('the search', () => {
  const tag = randomUUID().slice(0, 8);
  const search = async (q: string, page: { limit?: number; cursor?: string } = {}) =>
    harness.reporting.searchSubjects(lender, { q, limit: page.limit ?? 10, cursor: page.cursor });
  const found = async (q: string) =>
    (await search(q)).subjects.map((subject) => subject.display_name);

  beforeAll(async () => {
    await create(individual({ current_username: `alpha_${tag}` }));
    await create(individual({ current_username: `Beta-100%-${tag}`, forum_id: `Forum-${tag}-9` }));
    await create(organisation({ legal_name: `Gamma Ünion ${tag}`, trading_name: `Tau ${tag}` }));
  });

  test('finds by prefix and infix, in any case, in every name', async () => {
    expect(await found(`ALPHA_${tag}`)).toEqual([`alpha_${tag}`]);
    expect(await found(`pha_${tag.slice(0, 3)}`)).toEqual([`alpha_${tag}`]);
    expect(await found(`forum-${tag}`)).toEqual([`Beta-100%-${tag}`]);
    expect(await found(`ünion ${tag}`)).toEqual([`Tau ${tag}`]);
    expect(await found(`tau ${tag}`)).toEqual([`Tau ${tag}`]);
    expect(await found(`nobody ${tag}`)).toEqual([]);
  });

  test('finds an organisation by its registration number, with spaces or without', async () => {
    const [head = '', ...rest] = randomUUID().split('-');
    const number = `HRB ${head} ${rest.join('')}`;
    await create(organisation({ legal_name: `Delta ${head}`, registration_number: number }));
    for (const q of [number, number.toLowerCase(), number.replaceAll(' ', ''), `\u200b${number}`]) {
      expect(await found(q)).toEqual([`Delta ${head}`]);
    }
  });

  test('takes wildcards as they are written', async () => {
    expect(await found(`100%-${tag}`)).toEqual([`Beta-100%-${tag}`]);
    expect(await found(`alpha%${tag}`)).toEqual([]);
    expect(await found(`a__ha_${tag}`)).toEqual([]);
  });

  test('finds two characters, however rare', async () => {
    await create(individual({ current_username: `x${tag}ǂǁ` }));
    expect(await found('ǂǁ')).toEqual([`x${tag}ǂǁ`]);
  });

  test('pages newest first', async () => {
    const first = await search(tag, { limit: 3 });
    expect(first.subjects).toHaveLength(3);
    const rest = await search(tag, { limit: 3, cursor: first.next_cursor });
    expect(rest.next_cursor).toBeUndefined();
    const ids = [...first.subjects, ...rest.subjects].map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(new Set(ids).size).toBe(4);
  });

  test('needs two characters', async () => {
    for (const q of ['', 'a', ' a ']) {
      expect(await refusal(search(q))).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['q'] });
    }
  });

  test('finds what lies far behind the newest', async () => {
    await harness.rows(
      'live',
      `INSERT INTO subjects (id, type, created_by_institution_id, search_text, created_at, updated_at)
       SELECT ('ffffffff-' || lpad(to_hex(n), 4, '0') || '-7000-8000-000000000000')::uuid,
         'INDIVIDUAL', $1, 'filler ' || n, now(), now()
       FROM generate_series(1, 1000) AS n`,
      [randomUUID()],
    );
    expect(await found(`alpha_${tag}`)).toEqual([`alpha_${tag}`]);
  });
});

test('subjects of the two environments never meet', async () => {
  const request = individual();
  const subject = await create(request);
  const sandbox = { ...lender, environment: 'test' as const };
  expect(
    await refusal(harness.reporting.getSubject(sandbox, { subject_id: subject.id })),
  ).toMatchObject({ code: 'NOT_FOUND' });
  await harness.reporting.createSubject(sandbox, request);
});
