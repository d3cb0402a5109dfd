import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { systemContext } from '@credit/platform/context';
import { PersonFileWriter } from '../../src/reports/commands/write-person-file';
import { personFilePdf } from '../../src/reports/documents/person-file-pdf';

const ROOT = path.resolve(__dirname, '../../../..');
let pdftotext: string;
beforeAll(() => {
  const pdftoppm = execFileSync(process.execPath, [path.join(ROOT, 'tools/ensure-pdftoppm.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  pdftotext = path.join(path.dirname(pdftoppm), 'pdftotext');
}, 300_000);

const textOf = (pdf: Buffer) =>
  execFileSync(pdftotext, ['-', '-'], { input: pdf, encoding: 'utf8', maxBuffer: 64_000_000 });

const harbour = { id: randomUUID(), name: 'Harbour Loans' };

function fileOf(event_count: number) {
  const events = Array.from({ length: event_count }, (_, index) => ({
    id: randomUUID(),
    event_type: 'PAYMENT_MADE',
    sequence: index + 1,
    amount: 12.5,
  }));
  const file = {
    accounts: [{ id: randomUUID(), furnisher: harbour, balance: 100, closed_at: null, events }],
    alerts: [],
    corrections: [],
    moves: [],
    file_freeze: { frozen_since: null, thaws: [] },
    inquiries: [
      { id: randomUUID(), institution: { id: randomUUID(), name: '王小明' }, refusal: null },
    ],
    score: { score: 640, reason_codes: [{ code: 'PH01', text: 'Paid late.' }] },
    something_new: 'as well',
    statements: [{ text: 'I paid\nin cash.' }],
    subject: { id: randomUUID(), display_name: 'Ada' },
  };
  const file_json = JSON.stringify(file);
  const content_hash = createHash('sha256').update(file_json).digest('hex');
  return { file, written: { file_json, content_hash, generated_at: '2026-11-29T08:00:00.000Z' } };
}

test('a file on paper says what its JSON says, under the same hash', async () => {
  const { file, written } = fileOf(2);
  const pdf = await personFilePdf(written);
  expect(await personFilePdf(written)).toEqual(pdf);
  const text = textOf(pdf);
  const [first = ''] = text.split('\f');
  expect(first).toContain(written.content_hash);
  // Among the document's properties too.
  expect(pdf.toString('latin1').split(written.content_hash).length).toBeGreaterThan(1);
  const [account] = file.accounts;
  for (const said of [
    ...(account?.events ?? []).map(({ id }) => id),
    account?.id ?? '',
    'Harbour Loans',
    'Paid late.',
    'in cash.',
    'as well',
    '640',
  ]) {
    expect(text.replaceAll('\n', ' ')).toContain(said);
  }
  expect(text).not.toMatch(/pass .* on|Institution [A-Z]\b/i);
});

test('a file of 2,000 events has them all', async () => {
  const { file, written } = fileOf(2_000);
  const text = textOf(await personFilePdf(written)).replaceAll(/\s+/g, '');
  const lost = file.accounts[0]?.events.filter(({ id }) => !text.includes(id));
  expect(lost).toEqual([]);
}, 240_000);

test('one of a person is written at a time, of eight people at most, and only what has its hash', async () => {
  let finish = () => {};
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const writer = new PersonFileWriter({
    write: async () => {
      await gate;
      return { content: Buffer.from('%PDF'), sha256: Buffer.alloc(32) };
    },
  });
  const { written } = fileOf(1);
  const as = (id: string) => systemContext('live', { actor: { type: 'person', id } });
  const people = Array.from({ length: 9 }, () => randomUUID());
  const [first = '', ...others] = people;
  const begun = [first, ...others.slice(0, 6)].map((id) => writer.write(as(id), written));
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'written',
      (error: { code: string }) => error.code,
    );
  expect(await codeOf(writer.write(as(first), written))).toBe('RATE_LIMIT_EXCEEDED');
  begun.push(writer.write(as(others[6] ?? ''), written));
  expect(await codeOf(writer.write(as(others[7] ?? ''), written))).toBe('INTERNAL_ERROR');
  const forged = { ...written, file_json: '{}' };
  expect(await codeOf(writer.write(as(randomUUID()), forged))).toBe('VALIDATION_ERROR');
  expect(await codeOf(writer.write(systemContext('live'), written))).not.toBe('written');
  finish();
  await Promise.all(begun);
  expect(await codeOf(writer.write(as(first), written))).toBe('written');
});
