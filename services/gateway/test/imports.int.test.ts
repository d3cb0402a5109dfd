import { connect } from 'node:net';
import { conflict } from '@credit/platform/errors';
import { API_KEY, TestGateway } from './support/gateway';
import { codeOf, expectComplete } from './support/http-client';
import { declaredAs, playExample } from './support/scenarios';

const gateway = new TestGateway();
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());
beforeEach(() => gateway.reset());

const CSV = { 'Content-Type': 'text/csv' };
const pieces = () =>
  gateway.services.callsOf('appendToImport').map(({ request }) => {
    const { from_bytes, content } = request as { from_bytes: bigint; content: Uint8Array };
    return [Number(from_bytes), content.length] as const;
  });

test('a file goes to the service in pieces that join on, and is complete at its end', async () => {
  playExample(gateway.services, declaredAs('createImport'));
  const body = Buffer.alloc(700_000, 'x');
  const reply = await gateway.call({
    method: 'POST',
    path: '/api/v1/imports?kind=ACCOUNTS&dry_run=true',
    headers: { 'Content-Type': 'text/csv; charset=utf-8' },
    body,
  });
  expectComplete(reply);
  expect(reply.status).toBe(202);
  expect(gateway.services.callsOf('beginImport')[0]?.request).toMatchObject({
    kind: 'ACCOUNTS',
    format: 'CSV',
    dry_run: true,
  });
  expect(pieces()).toEqual([
    [0, 262_144],
    [262_144, 262_144],
    [524_288, 175_712],
  ]);
  expect(gateway.services.callsOf('completeImport')[0]?.request).toMatchObject({ partial: false });
});

test('a part goes on where it is said to begin, and leaves the file open when it is told to', async () => {
  playExample(gateway.services, declaredAs('continueImport'));
  const path = '/api/v1/imports/0198a1d1-2b3c-7d4e-8f50-61728394a5b6/content';
  const sent = { method: 'POST', headers: CSV, body: Buffer.from('abc') };
  const reply = await gateway.call({ ...sent, path: `${path}?from_bytes=70&partial=true` });
  expect(reply.status).toBe(202);
  expect(pieces()).toEqual([[70, 3]]);
  expect(gateway.services.callsOf('completeImport')[0]?.request).toMatchObject({ partial: true });
  expect(codeOf(await gateway.call({ ...sent, path }))).toBe('VALIDATION_ERROR');
});

test.each([
  ['another type', { headers: { 'Content-Type': 'application/json' } }, 400],
  ['another encoding', { headers: { 'Content-Type': 'text/csv; charset=latin1' } }, 400],
  ['a packed file', { headers: { ...CSV, 'Content-Encoding': 'gzip' } }, 400],
  ['too long a file', { headers: { ...CSV, 'Content-Length': 1_073_741_825 } }, 413],
  ['an unknown kind', { path: '/api/v1/imports?kind=LOANS' }, 422],
  ['no kind', { path: '/api/v1/imports' }, 422],
])('%s is refused before anything is begun', async (_what, oddity, status) => {
  const reply = await gateway.call({
    method: 'POST',
    path: '/api/v1/imports?kind=EVENTS',
    headers: CSV,
    body: Buffer.from('a\n1\n'),
    ...oddity,
  });
  expectComplete(reply);
  expect(reply.status).toBe(status);
  expect(gateway.services.callsOf('beginImport')).toEqual([]);
});

test('what the service refuses is answered at once, and the import is given up', async () => {
  playExample(gateway.services, declaredAs('createImport'));
  gateway.services.answer('appendToImport', () => {
    throw conflict('Your imports hold 2 GiB together.', { reason: 'LIMIT_REACHED' });
  });
  const reply = await gateway.call({
    method: 'POST',
    path: '/api/v1/imports?kind=EVENTS',
    headers: CSV,
    body: Buffer.alloc(3_000_000, 'x'),
  });
  expect(JSON.parse(reply.text).error.reason).toBe('LIMIT_REACHED');
  expect(pieces()).toHaveLength(1);
  expect(gateway.services.callsOf('cancelImport')).toHaveLength(1);
  expect(gateway.services.callsOf('completeImport')).toEqual([]);
});

test('a file whose client goes away waits for its rest', async () => {
  playExample(gateway.services, declaredAs('createImport'));
  const socket = connect(gateway.port, '127.0.0.1');
  socket.write(
    `POST /api/v1/imports?kind=EVENTS HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${API_KEY}\r\n` +
      'Content-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n',
  );
  socket.write(Buffer.alloc(300_000, 'x'));
  for (let look = 0; pieces().length === 0 && look < 200; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(pieces()).toEqual([[0, 262_144]]);
  expect(gateway.services.callsOf('completeImport')).toEqual([]);
  expect(gateway.services.callsOf('cancelImport')).toEqual([]);
  // Nothing of it holds up what comes next.
  playExample(gateway.services, declaredAs('getImport'));
  const { path, params } = {
    ...declaredAs('getImport'),
    params: declaredAs('getImport').examples.params,
  };
  const read = await gateway.call({
    path: `/api/v1${path.replace('{import_id}', params?.import_id ?? '')}`,
  });
  expect(read.status).toBe(200);
});

test('faulty rows are a file in the format that they came in', async () => {
  const rows = (row: object) => [
    {
      line: 7,
      faults: [{ code: 'X', field: 'a', message: 'is wrong' }],
      row_json: JSON.stringify(row),
    },
  ];
  const path = '/api/v1/imports/0198a1d1-2b3c-7d4e-8f50-61728394a5b6/faults.csv';
  gateway.services.answer('listImportFaults', (_ctx, request) => ({
    rows: rows({ a: '=1+1', b: 'x' }),
    format: 'CSV',
    columns: ['a', 'b'],
    ...((request as { cursor?: string }).cursor === undefined ? { next_cursor: 'more' } : {}),
  }));
  const csv = await gateway.call({ path });
  expectComplete(csv);
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(csv.headers['content-disposition']).toBe('attachment; filename="faults.csv"');
  expect(csv.text).toBe(
    'fault_line,fault_code,fault_field,fault_message,a,b\r\n' +
      "7,X,a,is wrong,'=1+1,x\r\n7,X,a,is wrong,'=1+1,x\r\n",
  );
  gateway.services.answer('listImportFaults', () => ({
    rows: rows({ a: { b: 1 } }),
    format: 'NDJSON',
    columns: [],
  }));
  const ndjson = await gateway.call({ path });
  expect(ndjson.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
  expect(JSON.parse(ndjson.text)).toMatchObject({ a: { b: 1 }, fault: { line: 7 } });
});
