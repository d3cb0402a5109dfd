// Rows from before names and identifiers were compared as they are now: before and after.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { systemContext } from '@credit/platform/context';
import { EventType, SubjectType } from '@credit/proto/reporting/v1/types';
import { normaliseNames } from '../src/commands/normalise-names';
import { listCollisionsCommand } from '../src/operator/list-collisions-command';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  onDay,
  payment,
  refusal,
  useHarness,
} from './harness';

const harness = useHarness();
const lender = institution();

async function find(q: string) {
  const { subjects } = await harness.reporting.searchSubjects(lender, { q, limit: 25 });
  return subjects.map(({ id }) => id);
}

async function collisions(): Promise<string[]> {
  const lines: string[] = [];
  await listCollisionsCommand(harness.db, (line) => lines.push(line));
  return lines;
}

describe('names', () => {
  /** A subject as the rule before wrote it. */
  async function write(fields: Record<string, string>, identities: [string, string][]) {
    const id = (await newSubject(harness.reporting, lender)).id;
    await harness.rows('live', 'DELETE FROM subject_identities WHERE subject_id = $1', [id]);
    await harness.rows(
      'live',
      `UPDATE subjects SET type = $2, game_uuid = NULL, current_username = $3, legal_name = $4,
         registration_number = $5, search_text = $6 WHERE id = $1`,
      [
        id,
        fields.legal_name === undefined ? 'INDIVIDUAL' : 'ORGANISATION',
        fields.current_username,
        fields.legal_name,
        fields.registration_number,
        fields.search_text,
      ],
    );
    for (const [kind, key] of identities) {
      await harness.rows('live', 'INSERT INTO subject_identities VALUES ($1, $2, 0, $3)', [
        kind,
        key,
        id,
      ]);
    }
    return id;
  }

  const run = (later_ms = 0) =>
    harness.db.transaction(systemContext('live'), (tx) =>
      normaliseNames(tx, harness.clock.now_ms() + later_ms),
    );

  test('come under the rule of today, and twins are kept and listed', async () => {
    const tag = randomUUID();
    const first = await write(
      { current_username: `Ann\u200be ${tag}`, search_text: `ann\u200be ${tag}\nformer ${tag}` },
      [['username', `ann\u200be ${tag}`]],
    );
    const twin = await write(
      { current_username: `A\u202enne ${tag}`, search_text: `a\u202enne ${tag}` },
      [['username', `a\u202enne ${tag}`]],
    );
    // The rule before took this one for a space.
    const split = await write(
      { current_username: `Be\ufeffn ${tag}`, search_text: `be n ${tag}` },
      [['username', `be n ${tag}`]],
    );
    const unseen = await write({ current_username: '\u2060', search_text: '\u2060' }, [
      ['username', '\u2060'],
    ]);
    const firm = await write(
      { legal_name: 'Firm', registration_number: `HRB ${tag}`, search_text: 'firm' },
      [
        ['registration_number', `hrb${tag}`],
        ['legal_name', `firm ${tag}`],
      ],
    );
    const individual = (current_username: string) =>
      harness.reporting.createSubject(lender, {
        type: SubjectType.INDIVIDUAL,
        game_uuid: randomUUID(),
        current_username,
      });
    expect(await find(`HRB ${tag}`)).toEqual([]);

    const { collisions: found, finished } = await run();
    expect({ found, finished }).toEqual({ found: 1, finished: false });

    for (const name of [`anne ${tag}`, `An\u00adne ${tag}`]) {
      expect(await refusal(individual(name))).toMatchObject({ existing_id: first });
    }
    expect(await refusal(individual(`ben ${tag}`))).toMatchObject({ existing_id: split });
    // What only the rule before took for the same is free.
    await individual(`be n ${tag}`);
    expect(await find(`anne ${tag}`)).toEqual([twin, first]);
    expect(await find(`former ${tag}`)).toEqual([first]);
    expect(await find(`HRB ${tag}`)).toEqual([firm]);
    const holders = await harness.rows<{ subject_id: string; key: string }>(
      'live',
      'SELECT subject_id, key FROM subject_identities WHERE subject_id = ANY ($1) ORDER BY ordinal',
      [[first, twin, unseen]],
    );
    expect(holders).toEqual(
      expect.arrayContaining([
        { subject_id: first, key: `anne ${tag}` },
        { subject_id: twin, key: `anne ${tag}` },
        { subject_id: unseen, key: '\u2060' },
      ]),
    );
    expect(holders).toHaveLength(3);
    expect(await collisions()).toEqual([
      `  username: ${twin} has that of ${first}`,
      'live: 1 collisions',
      'test: 0 collisions',
    ]);
    // Names themselves stay as they were written.
    const { subject } = await harness.reporting.getSubject(lender, { subject_id: twin });
    expect(subject?.current_username).toBe(`A\u202enne ${tag}`);

    // The release before may still write for a while; then it is over.
    const late = await write(
      { current_username: `La\u200bte ${tag}`, search_text: `la\u200bte ${tag}` },
      [['username', `la\u200bte ${tag}`]],
    );
    await Promise.all([run(), run()]);
    expect(await find(`late ${tag}`)).toEqual([late]);
    expect((await run(2 * 3_600_000)).finished).toBe(true);
    expect((await run()).finished).toBe(true);
    expect(await collisions()).toContain('live: 1 collisions');
  });
});

describe('identifiers', () => {
  const file = path.join(__dirname, '../migrations/0009_identifiers_without_outer_space.sql');
  const migrate = () => harness.rows('live', readFileSync(file, 'utf8'));
  const spoil = (id: string, text: string) =>
    harness.rows(
      'live',
      `WITH entered AS (
         UPDATE account_directory SET external_account_id = $2 WHERE account_id = $1
       )
       UPDATE accounts SET external_account_id = $2 WHERE id = $1`,
      [id, text],
    );
  const named = async (external_account_id: string) => {
    const { accounts } = await harness.reporting.listAccounts(lender, {
      external_account_id,
      limit: 10,
    });
    return accounts.map((account) => [account.id, account.external_account_id]);
  };

  test('of accounts are compared and kept without outer white space', async () => {
    const account = await newAccount(harness.reporting, lender, {
      external_account_id: ' LN\u20031\t',
    });
    expect(account.external_account_id).toBe('LN\u20031');
    expect(
      await refusal(
        newAccount(harness.reporting, lender, { external_account_id: '\u00a0LN\u20031' }),
      ),
    ).toMatchObject({ code: 'INVALID_STATE_TRANSITION', existing_id: account.id });
    const batch = [{ ...accountOf(account.subject_id), external_account_id: 'LN\u20031 ' }];
    expect(
      await refusal(
        harness.reporting.createAccounts(keyed(lender), {
          accounts: [accountOf(account.subject_id), ...batch],
        }),
      ),
    ).toMatchObject({ message: expect.stringMatching(/^accounts\[1\]/), existing_id: account.id });
    expect(await named(' LN\u20031 ')).toEqual([[account.id, 'LN\u20031']]);
    expect(
      await refusal(newAccount(harness.reporting, lender, { external_account_id: ' \u3000' })),
    ).toMatchObject({ paths: ['external_account_id'] });
  });

  test('of events too, and nobody gets at the network’s own with a space before', async () => {
    const account = await newAccount(harness.reporting, lender);
    const first = await harness.report(lender, payment(account, 1, { source_reference: 'P 1\n' }));
    expect(first.source_reference).toBe('P 1');
    const again = await harness.report(lender, payment(account, 1, { source_reference: ' P 1' }));
    expect(again.id).toBe(first.id);
    expect(
      await refusal(harness.report(lender, payment(account, 2, { source_reference: 'P 1' }))),
    ).toMatchObject({ code: 'INVALID_STATE_TRANSITION', existing_id: first.id });
    for (const source_reference of [' dispute:1', '\u2028review:1']) {
      expect(
        await refusal(harness.report(lender, payment(account, 3, { source_reference }))),
      ).toMatchObject({ paths: ['source_reference'] });
    }
  });

  test('on record lose it; where another has the same, both stay and are listed', async () => {
    const tag = randomUUID();
    const [bare, twin, early, late, lone, empty] = await Promise.all(
      Array.from({ length: 6 }, () => newAccount(harness.reporting, lender)),
    );
    if (!bare || !twin || !early || !late || !lone || !empty) throw new Error('six');
    const [before, after] = [early, late].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (!before || !after) throw new Error('two');
    await spoil(bare.id, `A ${tag}`);
    await spoil(twin.id, ` A ${tag}`);
    await spoil(before.id, `B ${tag}\u00a0`);
    await spoil(after.id, `\ufeffB ${tag}`);
    await spoil(lone.id, `\u3000C ${tag}\u0085\n`);
    await spoil(empty.id, ' \u2009');
    const references = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7'];
    const events = await harness.reportAll(
      lender,
      references.map((source_reference, day) => payment(lone, day + 1, { source_reference })),
    );
    const stored = [`r ${tag}`, ` r ${tag}`, `s ${tag} `, ` s ${tag}`, '\tt', ' dispute:7', ' '];
    for (const [index, reference] of stored.entries()) {
      await harness.rows('live', 'UPDATE credit_events SET source_reference = $2 WHERE id = $1', [
        events[index]?.id,
        reference,
      ]);
    }

    await migrate();

    expect(await named(`A ${tag}`)).toEqual([[bare.id, `A ${tag}`]]);
    expect(await named(`B ${tag}`)).toEqual([[before.id, `B ${tag}`]]);
    expect(await named(` C ${tag}`)).toEqual([[lone.id, `C ${tag}`]]);
    expect((await harness.accountNow(lender, twin.id)).external_account_id).toBe(` A ${tag}`);
    expect((await harness.accountNow(lender, after.id)).external_account_id).toBe(`\ufeffB ${tag}`);
    const now = await harness.eventsOf(lender, lone.id);
    expect(events.map(({ id }) => now.find((event) => event.id === id)?.source_reference)).toEqual([
      `r ${tag}`,
      ` r ${tag}`,
      `s ${tag}`,
      ` s ${tag}`,
      't',
      ' dispute:7',
      ' ',
    ]);
    const listed = (await collisions()).filter((line) => !line.includes('username'));
    expect(listed.sort()).toEqual(
      [
        `  external_account_id: ${twin.id} has that of ${bare.id}`,
        `  external_account_id: ${after.id} has that of ${before.id}`,
        `  external_account_id: ${empty.id} has that of the network`,
        `  source_reference: ${events[1]?.id} has that of ${events[0]?.id}`,
        `  source_reference: ${events[3]?.id} has that of ${events[2]?.id}`,
        `  source_reference: ${events[5]?.id} has that of the network`,
        `  source_reference: ${events[6]?.id} has that of the network`,
        'live: 8 collisions',
        'test: 0 collisions',
      ].sort(),
    );
    // A retry from before the change is still the same event.
    const retried = await harness.report(lender, {
      ...payment(lone, 5, { source_reference: '\tt' }),
      event_type: EventType.PAYMENT_MADE,
      occurred_at: onDay(5),
    });
    expect(retried.id).toBe(events[4]?.id);
  });
});
