import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { faultsOf, type Mapping, type Row, readRows, UnreadableFile } from './rows';

const folder = mkdtempSync(path.join(tmpdir(), 'furnish-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function rowsOf(name: string, text: string, mapping?: Mapping): Promise<Row[]> {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  const rows: Row[] = [];
  for await (const row of readRows(file, mapping)) rows.push(row);
  return rows;
}

test('reads columns into fields, with numbers as such and what they are not as text', async () => {
  const text =
    '\ufeffa.b,original_principal,metadata.amount,amount\r\n"x, y",12.50,7,much\r\n,,,\r\n';
  const rows = await rowsOf('a.csv', text);
  expect(rows.map(({ line, fields }) => ({ line, fields }))).toEqual([
    {
      line: 2,
      fields: {
        a: { b: 'x, y' },
        original_principal: 12.5,
        metadata: { amount: '7' },
        amount: 'much',
      },
    },
    { line: 3, fields: {} },
  ]);
});

test('leaves out what a mapping does not name, and adds what all rows share', async () => {
  const mapping = { columns: { Loan: 'external_account_id' }, constants: { currency: 'DCR' } };
  const [row] = await rowsOf('b.csv', 'Loan,Colour\nl-1,red\n', mapping);
  expect(row?.fields).toEqual({ currency: 'DCR', external_account_id: 'l-1' });
  await expect(rowsOf('c.csv', 'Lone\nl-1\n', mapping)).rejects.toThrow('no column "Loan"');
});

test('takes the words about faults and the guards against formulas out again', async () => {
  const header = 'fault_line,fault_code,fault_field,fault_message,external_account_id';
  const [row] = await rowsOf('d.csv', `${header}\n3,X,y,z,'=l-1\n`);
  expect(row?.fields).toEqual({ external_account_id: '=l-1' });
});

test('takes a column for nothing but a field', async () => {
  await rowsOf('e.csv', '__proto__,constructor.prototype.x,__proto__.y\n1,2,3\n');
  expect(Object.hasOwn(Object.prototype, 'x') || Object.hasOwn(Object.prototype, 'y')).toBe(false);
});

test('names the line that is no JSON, and goes on', async () => {
  const rows = await rowsOf('f.ndjson', '{"amount":1}\nnope\n\n{"fault":{},"amount":2}\n');
  expect(rows.map(({ line, fault }) => [line, fault?.code])).toEqual([
    [1, undefined],
    [2, 'NOT_JSON'],
    [4, undefined],
  ]);
  expect(rows[2]?.fields).toEqual({ amount: 2 });
});

test.each([
  ['g.csv', 'a,b\n1,2,3\n'],
  ['h.csv', 'a,a\n1,2\n'],
  ['i.csv', `a\n"${'x'.repeat(200_000)}"\n`],
  ['j.ndjson', 'x'.repeat(300_000)],
])('gives up on %s, which has no rows to tell apart', async (name, text) => {
  await expect(rowsOf(name, text)).rejects.toThrow(UnreadableFile);
});

test('asks for what lets a row be found again', () => {
  const organisation = { type: 'ORGANISATION', legal_name: 'Quay Ltd' };
  const account = {
    external_account_id: 'l-1',
    account_type: 'TERM_LOAN',
    original_principal: 1,
    opened_at: '2025-01-15T00:00:00Z',
  };
  const faulty = faultsOf({ line: 2, fields: { ...account, subject: organisation } }, 'accounts');
  expect(faulty.map(({ field }) => field)).toEqual(['subject.registration_number']);
  const numbered = { ...organisation, registration_number: 'R-1' };
  expect(faultsOf({ line: 2, fields: { ...account, subject: numbered } }, 'accounts')).toEqual([]);
  const event = { event_type: 'PAYMENT_MADE', occurred_at: '2025-01-15T00:00:00Z', amount: 1 };
  expect(faultsOf({ line: 2, fields: event }, 'events').map(({ field }) => field)).toEqual([
    'external_account_id',
    'source_reference',
  ]);
});
