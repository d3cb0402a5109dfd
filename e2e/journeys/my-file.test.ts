import { createHash, randomUUID } from 'node:crypto';
import { type Answer, Client, type Json, type Member } from '@credit/local/demo/client';
import { canonicalJson } from '@credit/platform/signing';
import { lendTwice } from '../support/borrower';
import { eventually } from '../support/eventually';
import { letIn } from '../support/person';
import { type SharedSystem, sharedSystem } from '../support/shared-system';

jest.setTimeout(60_000);

let system: SharedSystem;
let anonymous: Client;
let lender: Member;
let other: Member;
let subject: Json;
let own: Json;
let theirs: Json;
let person: Client;

beforeAll(async () => {
  system = await sharedSystem();
  anonymous = new Client(system.base_url);
  ({ lender, other, subject, own, theirs } = await lendTwice(system));
  person = await letIn(anonymous, lender.key, subject.id);
}, 240_000);

const openLoan = (by: Client, subject_id: string): Promise<Json> =>
  by.create(
    '/accounts',
    {
      subject_id,
      external_account_id: `ledger-${randomUUID()}`,
      account_type: 'TERM_LOAN',
      original_principal: 100,
      opened_at: '2025-01-15T00:00:00Z',
    },
    `open-${randomUUID()}`,
  );

const fileOf = async (who: Client): Promise<Json> => (await who.get('/my/file')).file;

it('gives people all that is kept of them, with the names of who reported it and who looked', async () => {
  const profile = await other.key.get(`/credit/${subject.id}?purpose=NEW_CREDIT_APPLICATION`);
  const { file } = await person.get('/my/file');
  expect(file.subject).toEqual(await lender.key.get(`/subjects/${subject.id}`));
  expect(file.accounts).toMatchObject([
    {
      id: own.id,
      furnisher: { id: lender.institution_id, name: expect.stringMatching(/^First Lender/) },
      external_account_id: own.external_account_id,
      current_balance: 3800,
      next_cursor: null,
    },
    {
      id: theirs.id,
      furnisher: { id: other.institution_id, name: expect.stringMatching(/^Second Lender/) },
    },
  ]);
  const [mine, card] = file.accounts;
  expect(mine.events).toHaveLength(13);
  const [correction, late] = card.events;
  expect(correction).toMatchObject({
    event_type: 'CORRECTION',
    supersedes_event_id: late.id,
    correction_reason: 'Second Lender misread its ledger.',
  });
  expect(late).toMatchObject({
    event_type: 'PAYMENT_LATE',
    effect: 'SUPERSEDED',
    superseded_by_event_id: correction.id,
    source_reference: 'secret-of-the-other',
  });
  expect(file.inquiries[0]).toMatchObject({
    id: profile.inquiry_id,
    institution: { id: other.institution_id, name: expect.stringMatching(/^Second Lender/) },
    purpose: 'NEW_CREDIT_APPLICATION',
    inquiry_type: 'HARD',
  });
  expect(file.score).toMatchObject({
    score: expect.any(Number),
    model_version: profile.credit.model_version,
    reason_codes: expect.arrayContaining([expect.objectContaining({ text: expect.any(String) })]),
  });
});

it('is no look, and its hash is of the text and the same while the file says the same', async () => {
  const raw = () =>
    fetch(`${system.base_url}/my/file`, { headers: { authorization: `Bearer ${person.token}` } });
  const texts = [await (await raw()).text(), await (await raw()).text()];
  const [first, second] = texts.map((text) => JSON.parse(text));
  expect(second.file).toEqual(first.file);
  expect(second.content_hash).toBe(first.content_hash);
  const canonical = canonicalJson(first.file);
  expect(texts[0]).toContain(`"file":${canonical}}`);
  expect(createHash('sha256').update(canonical).digest('hex')).toBe(first.content_hash);

  // On paper it names the same hash.
  const print = () =>
    fetch(`${system.base_url}/my/file.pdf`, {
      headers: { authorization: `Bearer ${person.token}` },
    });
  // While another is written it says when to ask again.
  const document = await eventually(print, ({ headers }) => !headers.has('retry-after'));
  expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const pdf = Buffer.from(await document.arrayBuffer());
  expect(pdf.toString('latin1')).toContain(`(Content hash ${first.content_hash})`);
  expect(document.headers.get('repr-digest')).toBe(
    `sha-256=:${createHash('sha256').update(pdf).digest('base64')}:`,
  );

  await lender.key.get(`/credit/${subject.id}?purpose=ACCOUNT_REVIEW`);
  const after = await person.get('/my/file');
  expect(after.content_hash).not.toBe(first.content_hash);
  expect(after.file.inquiries).toHaveLength(first.file.inquiries.length + 1);
});

it('goes through an account’s events page by page', async () => {
  const seen: Json[] = [];
  let path: string | undefined = `/my/accounts/${own.id}/events?limit=5`;
  while (path !== undefined) {
    const { status, body, headers }: Answer<Json[]> = await person.request('GET', path);
    expect(status).toBe(200);
    expect(body.length).toBeLessThanOrEqual(5);
    seen.push(...body);
    [, path] = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  }
  const [account] = (await fileOf(person)).accounts;
  expect(seen).toEqual(account.events);
});

it('shows nothing of anybody else, whatever id is asked for', async () => {
  const stranger = await lender.key.create('/subjects', {
    type: 'INDIVIDUAL',
    game_uuid: randomUUID(),
    current_username: `stranger-${randomUUID().slice(0, 8)}`,
  });
  const loan = await openLoan(lender.key, stranger.id);
  const [opening] = await lender.key.get<Json[]>(`/accounts/${loan.id}/events`);
  const file = await fileOf(person);
  const text = JSON.stringify(file);
  const kept = [
    ...file.accounts.flatMap(({ events }: Json) => events.map(({ id }: Json) => id)),
    ...file.inquiries.map(({ id }: Json) => id),
    subject.id,
    lender.institution_id,
  ];
  for (const id of [loan.id, stranger.id, opening?.id, stranger.game_uuid]) {
    expect(text).not.toContain(id);
  }
  // No other id than that of an account of one's own opens anything.
  const others = [loan.id, stranger.id, opening?.id, ...Array.from({ length: 20 }, randomUUID)];
  for (const id of [...others, ...kept]) {
    const { status, body } = await person.request('GET', `/my/accounts/${id}/events`);
    expect([id, status, (body as Json).error.code]).toEqual([id, 404, 'NOT_FOUND']);
  }
  const theirs_too = await letIn(anonymous, lender.key, stranger.id);
  const { accounts, inquiries } = await fileOf(theirs_too);
  expect(accounts.map(({ id }: Json) => id)).toEqual([loan.id]);
  expect(inquiries).toEqual([]);
});

it('is of the data that the session is of', async () => {
  const { secret } = await lender.owner.create('/api-keys', {
    display_name: 'testing',
    scopes: ['credit:report', 'credit:read', 'accounts:write', 'events:write'],
    environment: 'test',
  });
  const testing = anonymous.as(secret);
  const { subject: persona } = await testing.create(
    '/sandbox/personas',
    { persona: 'CURED_DEFAULT' },
    `persona-${randomUUID()}`,
  );
  const loan = await openLoan(testing, persona.id);
  const { subject: whose, accounts } = await fileOf(await letIn(anonymous, testing, persona.id));
  expect(whose.id).toBe(persona.id);
  expect(accounts.length).toBeGreaterThan(1);
  // The furnishers of the sandbox are fictional: the network knows no name of theirs.
  for (const { id, furnisher } of accounts) {
    const name = id === loan.id ? expect.stringMatching(/^First Lender/) : null;
    expect(furnisher).toEqual({ id: expect.any(String), name });
  }
  expect((await person.request('GET', `/my/accounts/${loan.id}/events`)).status).toBe(404);
});
