import { systemContext } from '@credit/platform/context';
import { newId } from '@credit/platform/runtime';
import { type Scan, watchPlans } from '@credit/testing';
import { keepHealth } from '../src/commands/keep-health';
import {
  accountOf,
  institution,
  keyed,
  newAccount,
  newSubject,
  payment,
  personOf,
  useHarness,
} from './harness';

// What is hot costs the same however many subjects there are: it reads one subject's partition, by an
// index that begins with the subject. docs/SCALING.md says what that bears.

const harness = useHarness();
const lender = institution();
let take: () => Scan[];
let takeInTest: () => Scan[];

beforeAll(async () => {
  ({ take } = await watchPlans(harness.db, 'live'));
  ({ take: takeInTest } = await watchPlans(harness.db, 'test'));
});

/** Partitions of the events that each statement read. */
function partitionsByStatement(scans: readonly Scan[]): Map<string, Set<string>> {
  const read = new Map<string, Set<string>>();
  for (const { statement, relation } of scans) {
    if (!/^credit_events_p\d\d$/.test(relation)) continue;
    read.set(statement, (read.get(statement) ?? new Set()).add(relation));
  }
  return read;
}

/** Directories and totals are looked up by what they are named after, not by subject. */
const BY_ANOTHER_KEY =
  /^(account_directory|account_totals|idempotency_records|subject_identities|subject_former_names|outbox|inbox|daily_totals|hourly_totals|submission_days|institutions)$/;

function expectPruned(scans: readonly Scan[]): void {
  const read = partitionsByStatement(scans);
  expect(read.size).toBeGreaterThan(0);
  for (const [statement, partitions] of read) {
    expect([statement, [...partitions].length]).toEqual([statement, 1]);
  }
  for (const { statement, relation, node_type, index_condition } of scans) {
    if (BY_ANOTHER_KEY.test(relation)) continue;
    const place = `${relation} in ${statement}`;
    expect([place, node_type]).toEqual([place, expect.not.stringMatching(/^Seq Scan/)]);
    // `subjects` is keyed by its id, which is the subject's.
    const key = relation === 'subjects' ? 'id' : 'subject_id';
    expect([place, index_condition]).toEqual([place, expect.stringContaining(key)]);
  }
}

test('what is hot of one subject reads one partition, by an index that begins with it', async () => {
  const subject = await newSubject(harness.reporting, lender);
  const account = await newAccount(harness.reporting, lender, accountOf(subject.id));
  take();

  const paid = await harness.report(lender, payment(account, 2));
  const late = await harness.report(lender, payment(account, 9));
  // Between the two: the account's timeline is read and replayed.
  await harness.report(lender, payment(account, 5));
  expectPruned(take());

  // The second looks among the first's like for one that it repeats.
  for (let look = 0; look < 2; look += 1) {
    await harness.reporting.recordInquiry(lender, {
      inquiry_id: newId(),
      subject_id: subject.id,
      purpose: 'ACCOUNT_REVIEW',
    });
  }
  await harness.reporting.followSubject(lender, { subject_id: subject.id });
  await harness.reporting.listInquiries(lender, { subject_id: subject.id, limit: 0 });
  await harness.reporting.getSubjectFile(lender, { subject_id: subject.id });
  await harness.reporting.getAccount(lender, { account_id: account.id });
  await harness.eventsOf(lender, account.id);
  const person = personOf(subject.id);
  await harness.reporting.getPersonFile(person, {});
  await harness.reporting.listPersonEvents(person, { account_id: account.id, limit: 1 });
  expectPruned(take());

  expect([paid.subject_id, late.subject_id]).toEqual([subject.id, subject.id]);
});

test('what a person puts on its file, and who is refused for it, is found by the subject', async () => {
  const account = await newAccount(harness.reporting, lender);
  const { subject_id, id: record_id } = account;
  const person = systemContext('live', { actor: { type: 'person', id: subject_id } });
  const { reporting } = harness;
  const inquiry = { inquiry_id: newId(), subject_id, purpose: 'NEW_CREDIT_APPLICATION' as const };
  take();
  await reporting.placeFreeze(person, {});
  await reporting.setStatement(person, { record_id, text: 'Not mine.' });
  await reporting.placeAlert(person, { kind: 'FRAUD' });
  // Refused, and found as refused.
  for (let look = 0; look < 2; look += 1) {
    await expect(reporting.recordInquiry(lender, inquiry)).rejects.toThrow('frozen');
  }
  await reporting.recordInquiry(lender, {
    ...inquiry,
    inquiry_id: newId(),
    purpose: 'CREDIT_LIMIT_INCREASE',
  });
  await reporting.getFileRights(person, {});
  await reporting.followSubject(lender, { subject_id });
  await reporting.listInquiries(lender, { subject_id, limit: 0 });
  const scans = take();
  expectPruned(scans);
  const relations = new Set(scans.map(({ relation }) => relation));
  expect([...relations]).toEqual(expect.arrayContaining(['file_entries', 'refused_inquiries']));

  // Of past profiles, what readers are shown alone.
  const moment = new Date().toISOString();
  await reporting.getSubjectFileAt(lender, { subject_id, as_of: moment, known_at: moment });
  const shown = take().filter(({ relation }) => relation === 'file_entries');
  expect(shown.map(({ index_name }) => index_name)).toEqual(['file_entries_told']);
});

test('an institution’s inquiries are walked in their order, refused ones among them', async () => {
  take();
  const page = await harness.reporting.listInquiries(lender, { limit: 2 });
  await harness.reporting.listInquiries(lender, { limit: 2, cursor: page.next_cursor });
  await harness.reporting.listInquiries(lender, { limit: 2, purpose: 'ACCOUNT_REVIEW' });
  const scans = take();
  const walked = scans.map(({ index_name }) => index_name);
  expect(walked).toEqual([
    'inquiries_of_institution_counted',
    'refused_inquiries_of_institution',
    'inquiries_of_institution_counted',
    'refused_inquiries_of_institution',
    'inquiries_of_institution_by_purpose',
    'refused_inquiries_of_institution',
  ]);
  // Both come in the order of the page, and neither is read whole to be sorted.
  for (const { node_type } of scans) expect(node_type).toBe('Index Scan');
});

test('a batch of many subjects reads the partitions of these, once each', async () => {
  const accounts = [];
  for (let number = 0; number < 6; number += 1) {
    const subject = await newSubject(harness.reporting, lender);
    accounts.push(await newAccount(harness.reporting, lender, accountOf(subject.id)));
  }
  take();
  await harness.reporting.reportEvents(keyed(lender), {
    events: accounts.map((account) => payment(account, 3)),
  });
  for (const [statement, partitions] of partitionsByStatement(take())) {
    expect([statement, [...partitions].length <= accounts.length]).toEqual([statement, true]);
  }
});

test('inquiries for a purpose are found by an index of the institution and the purpose', async () => {
  take();
  await harness.reporting.listInquiries(lender, { purpose: 'COLLECTION', limit: 0 });
  const scans = take().filter(({ relation }) => relation === 'inquiries');
  expect(scans).toMatchObject([
    {
      node_type: expect.stringMatching(/^Index Scan/),
      index_condition: expect.stringMatching(/institution_id.*purpose/),
    },
  ]);
});

test('an inquiry is found by its institution and its id', async () => {
  const subject = await newSubject(harness.reporting, lender);
  const inquiry_id = newId();
  const look = { inquiry_id, subject_id: subject.id, purpose: 'PREQUALIFICATION' as const };
  await harness.reporting.recordInquiry(lender, look);
  take();
  await harness.reporting.getInquiry(lender, { inquiry_id });
  expect(take().filter(({ relation }) => relation === 'inquiries')).toMatchObject([
    {
      node_type: expect.stringMatching(/^Index Scan/),
      index_condition: expect.stringMatching(/institution_id.*\(id =/),
    },
  ]);
});

test('the summary reads what is kept, and no account', async () => {
  take();
  await harness.reporting.getAccountSummary(lender, {});
  const scans = take();
  expect([...new Set(scans.map(({ relation }) => relation))]).toEqual(['account_totals']);
  for (const { index_condition } of scans) expect(index_condition).toContain('institution_id');
});

test('health by day reads what is kept, and findings are looked for among accounts in trouble', async () => {
  take();
  await harness.reporting.getReportingHealthByDay(lender, {});
  expect(new Set(take().map(({ relation }) => relation))).toEqual(new Set(['health_days']));
  await harness.reporting.getReportingHealth(lender, {});
  const [found, ...others] = take().filter(
    ({ relation, statement }) => relation === 'accounts' && statement.includes('WITH found'),
  );
  expect([found?.index_name, others]).toEqual(['accounts_in_trouble', []]);
});

test('of a large book the lowest accounts are looked up by what is kept of it', async () => {
  const book = institution();
  const ask = { metric: 'FRESHNESS', limit: 0 } as const;
  await newAccount(harness.reporting, book);
  while (await keepHealth(harness.db, 'live', harness.clock, () => false));
  await harness.rows('live', 'UPDATE health_days SET took_ms = 2000 WHERE institution_id = $1', [
    book.institution_id,
  ]);
  take();
  await harness.reporting.listHealthAccounts(book, ask);
  const scans = take();
  expect(new Set(scans.map(({ relation }) => relation))).toEqual(
    new Set(['health_days', 'health_accounts', 'accounts']),
  );
  for (const { relation, node_type, index_condition } of scans) {
    expect([relation, node_type]).toEqual([relation, expect.not.stringMatching(/^Seq Scan/)]);
    const key = relation === 'accounts' ? 'subject_id' : 'institution_id';
    expect([relation, index_condition]).toEqual([relation, expect.stringContaining(key)]);
  }
});

test('changed accounts are found in the order of their changes, without a sort', async () => {
  const since = { updated_since: '2000-01-01T00:00:00.000Z', limit: 0 };
  take();
  const { accounts } = await harness.reporting.listAccounts(lender, since);
  const [account] = accounts;
  const [scan, ...others] = take().filter(({ relation }) => relation === 'accounts');
  expect([scan?.index_name, others]).toEqual(['accounts_of_institution_by_change', []]);
  expect(scan?.index_condition).toMatch(/institution_id.*updated_at/);
  await harness.reporting.listAccounts(lender, { ...since, subject_id: account?.subject_id });
  const [of_subject] = take().filter(({ relation }) => relation === 'accounts');
  expect(of_subject?.index_condition).toContain('subject_id');

  // The index is no choice for the other lists.
  await harness.reporting.listAccounts(lender, { limit: 0 });
  await harness.reporting.listAccounts(lender, { status: 'CURRENT', limit: 0 });
  await harness.reporting.listAccounts(lender, { subject_id: account?.subject_id, limit: 0 });
  const names = take().flatMap(({ relation, index_name }) =>
    relation === 'accounts' ? [index_name] : [],
  );
  expect(names).toEqual([
    'accounts_of_institution',
    'accounts_of_institution_by_status',
    'accounts_pkey',
  ]);
});

test('what is to be cleared is found by the institution, each page of inquiries after the one before', async () => {
  const tester = institution(lender.institution_id, { environment: 'test' });
  const subject = await newSubject(harness.reporting, tester);
  await newAccount(harness.reporting, tester, accountOf(subject.id));
  takeInTest();
  await harness.reporting.clearSandbox(tester, {});
  const scans = takeInTest();
  const conditionsOf = (start: RegExp) =>
    scans.filter(({ statement }) => start.test(statement)).map((scan) => scan.index_condition);
  const accounts = conditionsOf(/FROM account_directory\s+WHERE institution_id = \$1 AND external/);
  const inquiries = conditionsOf(/FROM inquiries\s+WHERE institution_id = \$1 AND id > \$2/);
  expect(Math.min(accounts.length, inquiries.length)).toBeGreaterThan(0);
  for (const condition of accounts) expect(condition).toContain('institution_id');
  for (const condition of inquiries) expect(condition).toMatch(/institution_id.*id >/);
  // Nothing is read from end to end.
  expect(scans.filter(({ node_type }) => node_type.startsWith('Seq Scan'))).toEqual([]);
}, 20_000);
