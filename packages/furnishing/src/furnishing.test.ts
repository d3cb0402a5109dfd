import { headerFaults, readMapping } from './check-header';
import { faultsOf } from './check-row';
import { faultHeader, faultLine } from './fault-text';
import { fieldsOfRows, templateOf } from './fields';
import { readHeader, readRows } from './read-rows';
import {
  type Format,
  type Mapping,
  type Place,
  type Row,
  type Source,
  UnreadableFile,
} from './row';

/** In pieces that end anywhere. */
function sourceOf(content: string | Buffer, piece = 7): Source {
  const bytes = Buffer.from(content);
  return async function* (from) {
    for (let at = from; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  };
}

async function rowsOf(
  name: string,
  content: string | Buffer,
  mapping?: Mapping,
  after?: Place,
  piece?: number,
): Promise<Row[]> {
  const format: Format = name.endsWith('.csv') ? 'csv' : 'ndjson';
  const rows: Row[] = [];
  for await (const row of readRows(sourceOf(content, piece), { format, mapping, after })) {
    rows.push(row);
  }
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
  expect(headerFaults(['Lone'], mapping, 'accounts')).toMatchObject([
    { code: 'MISSING_COLUMN', field: 'Loan' },
  ]);
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
    [2, 'MALFORMED_JSON'],
    [4, undefined],
  ]);
  expect(rows[2]?.fields).toEqual({ amount: 2 });
});

test.each([
  ['no header', 'g.csv', ''],
  ['a column twice', 'h.csv', 'a,a\n1,2\n'],
  ['a quote that is never closed', 'i.csv', `a\n"${'x'.repeat(200_000)}`],
  ['UTF-16', 'j.csv', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le')],
  ['UTF-16', 'j.ndjson', Buffer.from('\ufeff{"a":1}\n', 'utf16le')],
  ['quotes in every row', 'k.csv', `a,b\n${'1,x"\n'.repeat(2_000)}`],
])('gives up on %s', async (_what, name, content) => {
  await expect(rowsOf(name, content, {}, undefined, 65_536)).rejects.toThrow(UnreadableFile);
});

test('tells of each row that is none, and goes on behind it', async () => {
  const latin = Buffer.from('4,\xe9\n', 'latin1');
  const text = Buffer.concat([Buffer.from('a,b\n1,2,3\n2,x"y\n3,ok\n'), latin, Buffer.from('5,é')]);
  const rows = await rowsOf('l.csv', text);
  expect(rows.map(({ line, fault, fields }) => [line, fault?.code, fields.b])).toEqual([
    [2, 'COLUMN_COUNT', undefined],
    [3, 'MALFORMED_ROW', undefined],
    [4, undefined, 'ok'],
    [5, 'ENCODING', undefined],
    [6, undefined, 'é'],
  ]);
  const long = `{"a":"${'x'.repeat(70_000)}"}\n{"a":1,"a":2}\n{"a":1}\r\n{"a":${'['.repeat(40)}`;
  const lines = await rowsOf('l.ndjson', long, {}, undefined, 1_000);
  expect(lines.map(({ line, fault }) => [line, fault?.code])).toEqual([
    [1, 'ROW_TOO_LONG'],
    [2, 'MALFORMED_JSON'],
    [3, undefined],
    [4, 'MALFORMED_JSON'],
  ]);
});

test.each([
  ['m.csv', '\ufeffa,b\r\n1,"x\r\ny"\r\n\r\n2,é\n3,"q""w"\r4,z\n'],
  ['m.ndjson', '\ufeff{"a":1}\r\n\n{"a":2,"b":"é"}\n{"a":3}'],
])('goes on behind any row of %s as if it had not stopped', async (name, text) => {
  const all = await rowsOf(name, text);
  expect(all.length).toBeGreaterThan(2);
  for (const [index, { end }] of all.entries()) {
    expect(await rowsOf(name, text, {}, end, 3)).toEqual(all.slice(index + 1));
  }
});

test('tells once of columns that no row can have and that all rows lack', async () => {
  const { names } = await readHeader(
    sourceOf('subject.type,subject.game_uuid,subject.legal_name,external_acount_id,opened_at\n'),
  );
  expect(headerFaults(names, {}, 'accounts').map(({ field }) => field)).toEqual([
    'external_account_id',
    'account_type',
    'original_principal',
    'external_acount_id',
  ]);
  expect(
    headerFaults(['a'], { columns: { a: 'amount' } }, 'events').map(({ field }) => field),
  ).toEqual(['external_account_id', 'source_reference', 'event_type', 'occurred_at']);
});

const LEDGER = {
  columns: {
    Loan: 'external_account_id',
    Who: 'subject_id',
    Sum: 'original_principal',
    'Paid out': 'opened_at',
  },
  constants: { account_type: 'TERM_LOAN', 'metadata.branch': 'Quay' },
};

test('reads a mapping as the API keeps it', () => {
  expect(readMapping(LEDGER, 'accounts')).toEqual({ mapping: LEDGER });
  expect(readMapping({ kind: 'ACCOUNTS', ...LEDGER }, 'accounts')).toEqual({ mapping: LEDGER });
  // Columns of their own names, and what all rows share.
  expect(readMapping({ constants: { currency: 'DCR' } }, 'accounts')).toEqual({
    mapping: { columns: undefined, constants: { currency: 'DCR' } },
  });
});

test.each([
  ['no object', [], [['', 'must be an object']]],
  ['another kind', { kind: 'EVENTS', ...LEDGER }, [['kind', 'must be ACCOUNTS here']]],
  ['something else', { ...LEDGER, column: {} }, [['column', 'is not a known field']]],
  [
    'two columns of one field',
    { ...LEDGER, columns: { ...LEDGER.columns, 'Loan 2': 'external_account_id' } },
    [['columns.Loan 2', 'is external_account_id, and so is "Loan": a field has one column']],
  ],
  [
    'a field that there is not, and one that is lacking',
    { ...LEDGER, columns: { ...LEDGER.columns, Loan: 'external_acount_id' } },
    [
      ['columns', 'must name a column for external_account_id'],
      ['columns.Loan', 'is external_acount_id, which is not a known field'],
    ],
  ],
  [
    'a field that is no text',
    { ...LEDGER, columns: { ...LEDGER.columns, Note: 'metadata' } },
    [
      [
        'columns.Note',
        'is metadata, which must be an object of at most 20 keys, 2048 bytes of JSON and 2 levels',
      ],
    ],
  ],
  [
    'constants that no row may have',
    { ...LEDGER, constants: { account_type: 'LOAN', colour: 'red' } },
    [
      ['constants.colour', 'is colour, which is not a known field'],
      ['constants.account_type', expect.stringMatching(/^must be one of /)],
    ],
  ],
  [
    'a name that is none',
    { ...LEDGER, columns: { ...LEDGER.columns, ' ': 'currency' } },
    [['columns', 'has a name that must not be blank']],
  ],
  ['no columns', { columns: {} }, [['columns', 'must have 1 to 100 names']]],
  [
    'numbers',
    { constants: { currency: 1 } },
    [['constants', 'has a "currency" that must be a string']],
  ],
  [
    'a prototype',
    JSON.parse('{"columns":{"__proto__":"__proto__"},"constants":{"__proto__":"x"}}'),
    expect.arrayContaining([
      ['columns.__proto__', 'is __proto__, which is not a known field'],
      ['constants.__proto__', 'is __proto__, which is not a known field'],
    ]),
  ],
])('takes %s for no mapping', (_what, value, expected) => {
  const read = readMapping(value, 'accounts');
  expect('faults' in read && read.faults.map(({ field, message }) => [field, message])).toEqual(
    expected,
  );
});

test('makes a file of faults that reads back as the rows it is made of', async () => {
  const cells = { a: '=1+1', b: 'x, "y"\nz', c: '-5' };
  const faults = [{ code: 'VALIDATION_ERROR', field: 'a', message: 'must be a UUID' }];
  const names = Object.keys(cells);
  const text = faultHeader(names) + faultLine({ line: 7, cells, fields: {} }, faults, names);
  expect(text).toContain("'=1+1");
  const [row] = await rowsOf('n.csv', text);
  expect(row?.cells).toEqual(cells);
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

test.each(['accounts', 'events'] as const)(
  'a template of %s has fields that rows have, and enough of them',
  (kind) => {
    expect(headerFaults(templateOf(kind), {}, kind)).toEqual([]);
    const fields = fieldsOfRows(kind);
    expect(fields.map(({ path }) => path)).toEqual(expect.arrayContaining([...templateOf(kind)]));
    // It stands in place of the other id, not beside it.
    const others = fields.filter(({ path }) => path !== 'credit_account_id');
    for (const { path, is_required } of others) {
      expect([path, headerFaults([...templateOf(kind), path], {}, kind)]).toEqual([path, []]);
      if (is_required) expect(templateOf(kind)).toContain(path);
    }
  },
);
