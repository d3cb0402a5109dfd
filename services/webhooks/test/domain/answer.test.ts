import fc from 'fast-check';
import {
  type Answer,
  headerLines,
  headersOf,
  keptAnswer,
  LEFT_OUT,
  MAX_BODY_BYTES,
} from '../../src/domain/answer';

const kept = (raw: readonly string[], body: string | Uint8Array = '', has_more = false): Answer =>
  keptAnswer(raw, typeof body === 'string' ? Buffer.from(body) : body, has_more);
const header = (name: string, value: string) => kept([name, value]).headers[0];

test('an answer is kept as it came, its headers in their order', () => {
  const answer = kept(
    ['Content-Type', 'application/json', 'Via', 'a', 'via', 'b'],
    '{"error":"é"}',
  );
  expect(answer).toEqual({
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'via', value: 'a' },
      { name: 'via', value: 'b' },
    ],
    body: '{"error":"é"}',
    truncated: false,
  });
});

test.each([
  'Set-Cookie',
  'set-cookie2',
  'Authorization',
  'Proxy-Authenticate',
  'WWW-Authenticate',
  'Authentication-Info',
  'X-Api-Key',
  'X-Auth-Token',
  'X-CSRF-Token',
  'x-session-id',
  'X-Amz-Signature',
])('the value of %s is left out', (name) => {
  const found = kept([name, 'sid=S3CRET; Path=/', 'server', 'nginx'], 'body');
  expect(found.headers).toEqual([
    { name: name.toLowerCase(), value: LEFT_OUT },
    { name: 'server', value: 'nginx' },
  ]);
  expect(JSON.stringify(found)).not.toContain('S3CRET');
});

test('addresses are kept without their queries and user information', () => {
  expect(header('location', 'https://me:pw@in.example/a?code=1&s=2#x')?.value).toBe(
    `https://${LEFT_OUT}@in.example/a?${LEFT_OUT}`,
  );
  expect(header('link', '</a?t=1>; rel="next", <//b.example/c?t=2>')?.value).toBe(
    `</a?${LEFT_OUT}>; rel="next", <//b.example/c?${LEFT_OUT}>`,
  );
  expect(header('location', '?code=1')?.value).toBe(`?${LEFT_OUT}`);
  expect(header('refresh', '0; url=?1&code=2')?.value).toBe(`0; url=?${LEFT_OUT}`);
  expect(header('origin-agent-cluster', '?1')?.value).toBe('?1');
  expect(header('priority', 'i=?0, u=1')?.value).toBe('i=?0, u=1');
});

test('what does not show, or turns the direction of a line, is replaced', () => {
  expect(kept([], 'a\u0000b\u001b[31m\r\n\tc\u202ed').body).toBe(
    'a\ufffdb\ufffd[31m\r\n\tc\ufffdd',
  );
  expect(header('x', 'a\tb\u0000c')?.value).toBe('a b\ufffdc');
  expect(kept([], Uint8Array.of(0xff, 0x61)).body).toBe('\ufffda');
});

test('a character that the bound cuts in two is left out', () => {
  const start = Buffer.from('aé').subarray(0, 2);
  expect(kept([], start, true)).toMatchObject({ body: 'a', truncated: true });
  expect(kept([], start, false)).toMatchObject({ body: 'a\ufffd', truncated: false });
});

test('long values are cut, and headers without end are left out', () => {
  expect(kept(['x', 'v'.repeat(600)])).toEqual({
    headers: [{ name: 'x', value: 'v'.repeat(512) }],
    body: '',
    truncated: true,
  });
  const many = Array.from({ length: 400 }, (_, at) => ['name', `value-${at}`]).flat();
  const { headers, truncated } = kept(many);
  expect(truncated).toBe(true);
  expect(headers.length).toBeLessThan(200);
  expect(kept(['n'.repeat(16_000), 'v'])).toMatchObject({ headers: [], truncated: true });
});

test('whatever comes, it is bounded, can be stored, and is read back as it was kept', () => {
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('set-cookie'));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anything, anything), { maxLength: 60 }),
      fc.uint8Array({ maxLength: MAX_BODY_BYTES }),
      fc.boolean(),
      (pairs, body, has_more) => {
        const names = pairs.map(([name, value]) => [name.replace(/[:\s]/g, '') || 'x', value]);
        const answer = keptAnswer(names.flat(), body, has_more);
        const lines = headerLines(answer.headers);
        expect(lines.length).toBeLessThanOrEqual(2_048);
        expect(answer.body.length).toBeLessThanOrEqual(MAX_BODY_BYTES);
        for (const text of [lines, answer.body]) {
          expect(text.includes('\u0000')).toBe(false);
          expect(text.isWellFormed()).toBe(true);
        }
        expect(headersOf(lines)).toEqual(answer.headers);
      },
    ),
  );
});
