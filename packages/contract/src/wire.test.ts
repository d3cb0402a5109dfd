import { isVisible } from '@credit/platform/values';
import fc from 'fast-check';
import { z } from 'zod';
import { toDetails } from './details';
import { compileEncoder, moneyText } from './encoder';
import * as wire from './wire';

const AccountStatus = {
  UNSPECIFIED: 'UNSPECIFIED',
  CURRENT: 'CURRENT',
  DISPUTED: 'DISPUTED',
} as const;

function refusal(schema: z.ZodType, value: unknown): string | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? undefined : toDetails(parsed.error.issues)[0]?.message;
}

describe('money', () => {
  const money = wire.money();

  test.each([
    [8.69, 869n],
    [143.48, 14348n],
    [19.99, 1999n],
    [0, 0n],
    [-0, 0n],
    [1e2, 10000n],
    [0.1, 10n],
    [999_999_999_999.99, 99_999_999_999_999n],
  ])('%d is %d minor units', (value, minor) => {
    expect(money.parse(value)).toBe(minor);
  });

  test.each([
    1.005,
    -0.01,
    -1,
    1e21,
    Number.POSITIVE_INFINITY,
    1e-7,
    1_000_000_000_000,
    Number.NaN,
    '12',
    '',
    null,
    true,
    [],
    {},
  ])('%p is refused', (value) => {
    expect(refusal(money, value)).toMatch(/^must be a number from 0/);
  });

  test('every amount survives the way in and out', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 99_999_999_999_999n }), (minor) => {
        const text = moneyText(minor);
        expect(money.parse(JSON.parse(text))).toBe(minor);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('a negative amount of a response keeps its sign', () => {
    expect(moneyText(-5n)).toBe('-0.05');
  });
});

describe('timestamps', () => {
  const timestamp = wire.timestamp();

  test.each([
    ['2026-02-03T10:00:00.000Z', '2026-02-03T10:00:00.000Z'],
    ['2026-02-03T10:00:00Z', '2026-02-03T10:00:00.000Z'],
    ['2026-02-03t10:00:00z', '2026-02-03T10:00:00.000Z'],
    ['2026-02-03T10:00:00.123456789Z', '2026-02-03T10:00:00.123Z'],
    ['2026-02-03T10:00:00+05:30', '2026-02-03T04:30:00.000Z'],
    ['2026-01-01T00:30:00.5-01:00', '2026-01-01T01:30:00.500Z'],
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%s is %s', (value, normal) => {
    expect(timestamp.parse(value)).toBe(normal);
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2026-02-30T00:00:00.000Z',
    '2025-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T24:00:00.000Z',
    '2026-01-01T23:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00Z ',
    '2026-01-01T00:00:00ZZ',
    '2026/01/01T00:00:00Z',
    '2026-01-01T00.00.00Z',
    '2026-1-1T00:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01',
    '0000-12-31T00:00:00.000Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+012026-01-01T00:00:00Z',
    '２026-01-01T00:00:00Z',
    '',
    'now',
    1_767_225_600,
    null,
  ])('%p is refused', (value) => {
    expect(refusal(timestamp, value)).toMatch(/^must be an RFC 3339/);
  });

  test('what goes out comes in unchanged', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        (date) => {
          expect(timestamp.parse(date.toISOString())).toBe(date.toISOString());
        },
      ),
    );
  });

  test('an offset moves the time and nothing else', () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date('0002-01-01T00:00:00Z'),
          max: new Date('9998-12-31T23:59:59.999Z'),
          noInvalidDate: true,
        }),
        fc.integer({ min: -1_439, max: 1_439 }),
        (date, offset_min) => {
          const local = new Date(date.getTime() + offset_min * 60_000).toISOString();
          const hours = String(Math.trunc(Math.abs(offset_min) / 60)).padStart(2, '0');
          const minutes = String(Math.abs(offset_min) % 60).padStart(2, '0');
          const sign = offset_min < 0 ? '-' : '+';
          const text = `${local.slice(0, -1)}${sign}${hours}:${minutes}`;
          expect(timestamp.parse(text)).toBe(date.toISOString());
        },
      ),
    );
  });
});

describe('text', () => {
  const text = wire.text({ min: 2, max: 5 });

  test('characters are counted, not code units', () => {
    expect(text.parse('👍👍👍👍👍')).toBe('👍👍👍👍👍');
    expect(refusal(text, '👍')).toBe('must have 2 to 5 characters');
    expect(refusal(text, '👍👍👍👍👍👍')).toBe('must have 2 to 5 characters');
  });

  test('the bounds hold for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (value) => {
        const count = [...value].length;
        const fine =
          count >= 2 &&
          count <= 5 &&
          !value.includes('\u0000') &&
          value.isWellFormed() &&
          isVisible(value);
        expect(text.safeParse(value).success).toBe(fine);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['a\u0000b', 'a\ud800b', '\udc00ab'])('%j is refused', (value) => {
    expect(refusal(text, value)).toBe('must not hold NUL or half a surrogate pair');
  });

  test.each([
    ['  ', 'must not be blank'],
    ['a', 'must have 2 to 5 characters'],
    [undefined, 'is required'],
    [12, 'must be a string'],
    [null, 'must be a string'],
  ])('%j is refused', (value, message) => {
    expect(refusal(text, value)).toBe(message);
  });

  test.each(['a@b.example', 'Ä.ö+x@mail.b.example'])('%s is an e-mail address', (value) => {
    expect(wire.email().parse(value)).toBe(value);
  });

  test.each([
    'a@b',
    'a b@c.example',
    'a@b..example',
    '@b.example',
    'a@@b.example',
    'a@b.example\n',
  ])('%j is no e-mail address', (value) => {
    expect(refusal(wire.email(), value)).toBeDefined();
  });
});

describe('ids and URLs', () => {
  test('a UUID of any version is taken, in lower case', () => {
    const id = wire.id();
    expect(id.parse('5D2F6C1E-8B3A-4F70-9C2D-1E0F9A8B7C6D')).toBe(
      '5d2f6c1e-8b3a-4f70-9c2d-1e0f9a8b7c6d',
    );
    for (const value of [
      '',
      'x',
      '5d2f6c1e8b3a4f709c2d1e0f9a8b7c6d',
      1,
      null,
      `${'0'.repeat(37)}`,
    ]) {
      expect(refusal(id, value)).toBe('must be a UUID');
    }
  });

  test('a URL has one of the schemes', () => {
    const url = wire.url(['https']);
    expect(url.parse('https://hooks.example/x?y=1')).toBe('https://hooks.example/x?y=1');
    for (const value of ['http://hooks.example', 'javascript:alert(1)', '/x', 'https:', '', 7]) {
      expect(refusal(url, value)).toBeDefined();
    }
    expect(refusal(url, `https://hooks.example/${'x'.repeat(2_000)}`)).toBe(
      'must have 1 to 2000 characters',
    );
  });
});

describe('closed sets', () => {
  const status = wire.enumeration(AccountStatus, { without: ['DISPUTED'] });

  test('a value of JSON is the generated one', () => {
    expect(status.parse('CURRENT')).toBe('CURRENT');
  });

  test.each(['UNSPECIFIED', 'DISPUTED', 'current', 'ACCOUNT_STATUS_CURRENT', '', ['CURRENT'], 1])(
    '%j is refused',
    (value) => {
      expect(refusal(status, value)).toBe('must be one of CURRENT');
    },
  );

  test('the zero value of a response is null', () => {
    const encode = compileEncoder(wire.reply({ status: wire.orNull(status) }));
    expect(encode({ status: AccountStatus.UNSPECIFIED })).toBe('{"status":null}');
    expect(encode({ status: AccountStatus.CURRENT })).toBe('{"status":"CURRENT"}');
    expect(encode({})).toBe('{"status":null}');
  });
});

describe('metadata', () => {
  const metadata = wire.metadata();

  test('it becomes canonical text', () => {
    expect(metadata.parse({ b: [1, -0, true], a: { z: null, ä: 'é"' } })).toBe(
      '{"a":{"z":null,"ä":"é\\""},"b":[1,0,true]}',
    );
    expect(metadata.parse({})).toBe('{}');
  });

  test('the order of keys does not matter', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.integer(), {
          maxKeys: 8,
          noNullPrototype: true,
        }),
        (value) => {
          const reversed = Object.fromEntries(Object.entries(value).reverse());
          expect(metadata.parse(reversed)).toBe(metadata.parse(value));
          expect(JSON.parse(metadata.parse(value))).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });

  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 1]));
  test.each([
    [many],
    [{ a: { b: { c: 1 } } }],
    [{ a: [[1]] }],
    [{ a: 'x'.repeat(2_048) }],
    [{ a: '\u0000' }],
    [{ 'a\ud800': 1 }],
    [{ a: Number.POSITIVE_INFINITY }],
    [{ a: new Date(0) }],
    [[]],
    ['x'],
    [null],
  ])('%j is refused', (value) => {
    expect(refusal(metadata, value)).toMatch(/^must be an object of at most 20 keys/);
  });
});

describe('objects', () => {
  const schema = wire.request({
    id: wire.id(),
    amount: wire.money().optional(),
    metadata: wire.metadata().optional(),
    kind: wire.oneOf(['a', 'b']).default('a'),
  });
  const id = '5d2f6c1e-8b3a-4f70-9c2d-1e0f9a8b7c6d';

  test('money and free objects have another name inside', () => {
    expect(schema.parse({ id, amount: 1.5, metadata: { x: 1 } })).toEqual({
      id,
      amount_minor: 150n,
      metadata_json: '{"x":1}',
      kind: 'a',
    });
    expect(Object.keys(schema.parse({ id }))).toEqual(['id', 'kind']);
  });

  test('a field that is not known is named', () => {
    const parsed = schema.safeParse({ id, amuont: 1, 'half\ud800': 2 });
    expect(toDetails(parsed.error?.issues ?? [])).toEqual([
      { path: 'amuont', message: 'is not a known field' },
      { path: 'half\ufffd', message: 'is not a known field' },
    ]);
  });

  test('the inside name is not a name of JSON', () => {
    expect(schema.safeParse({ id, amount_minor: 1 }).success).toBe(false);
  });

  test('null is not the same as left out', () => {
    expect(schema.safeParse({ id, amount: null }).success).toBe(false);
  });

  test.each([[[]], ['x'], [null], [1]])('%j is no object', (value) => {
    expect(refusal(schema, value)).toBe('must be an object');
  });

  test('the item of a list is named by its index', () => {
    const batch = wire.request({ items: wire.list(schema, { min: 1, max: 2 }) });
    const parsed = batch.safeParse({ items: [{ id }, { id: 'x' }] });
    expect(toDetails(parsed.error?.issues ?? [])).toEqual([
      { path: 'items[1].id', message: 'must be a UUID' },
    ]);
    expect(refusal(batch, { items: [] })).toBe('must hold 1 to 2 items');
    expect(refusal(batch, { items: {} })).toBe('must be an array');
  });

  test('what is wrong is listed up to a bound', () => {
    const batch = wire.request({ items: wire.list(schema) });
    const parsed = batch.safeParse({ items: Array.from({ length: 500 }, () => ({ x: 1, y: 2 })) });
    expect(toDetails(parsed.error?.issues ?? [])).toHaveLength(100);
  });

  test('a variant is chosen by its literal, and keeps to its own fields', () => {
    const either = wire.variants('type', [
      wire.request({ type: wire.literal('A'), amount: wire.money() }),
      wire.request({ type: wire.literal('B') }),
    ]);
    expect(either.parse({ type: 'A', amount: 1 })).toEqual({ type: 'A', amount_minor: 100n });
    expect(either.safeParse({ type: 'B', amount: 1 }).success).toBe(false);
    for (const value of [{ type: 'C' }, {}, { type: 'TYPE_A' }]) {
      const parsed = either.safeParse(value);
      expect(toDetails(parsed.error?.issues ?? [])).toEqual([
        { path: 'type', message: 'must be one of A, B' },
      ]);
    }
    expect(refusal(either, 'x')).toBe('must be an object');
    const encode = compileEncoder(either);
    expect(encode({ type: 'A', amount_minor: 250n })).toBe('{"type":"A","amount":2.5}');
    expect(encode({ type: 'B' })).toBe('{"type":"B"}');
  });
});

describe('responses', () => {
  test('text is escaped, absence is null, free objects are put in as they are', () => {
    const encode = compileEncoder(
      wire.reply({
        name: wire.label(),
        note: wire.orNull(wire.label()),
        amount: wire.orNull(wire.money()),
        metadata: wire.orNull(wire.metadata()),
        tags: wire.list(wire.label()),
        headers: wire.map(wire.label(), 'Any.'),
      }),
    );
    const text = encode({
      name: 'a"\\\n\u2028😀',
      amount_minor: 1250n,
      metadata_json: '{"x":1}',
      tags: ['x', 'y'],
      headers: { 'A"b': 'c' },
    });
    expect(JSON.parse(text)).toEqual({
      name: 'a"\\\n\u2028😀',
      note: null,
      amount: 12.5,
      metadata: { x: 1 },
      tags: ['x', 'y'],
      headers: { 'A"b': 'c' },
    });
    expect(
      JSON.parse(encode({ name: '', metadata_json: '', tags: [], headers: {} })),
    ).toMatchObject({ metadata: null, amount: null });
  });

  test('a service that leaves a required field out is found out', () => {
    const encode = compileEncoder(wire.reply({ at: wire.timestamp() }));
    expect(() => encode({ at: undefined })).toThrow('at is missing');
  });

  test('a schema that cannot be written is found when it is compiled', () => {
    expect(() => compileEncoder(wire.reply({ x: z.string() }))).toThrow(/wire\.ts/);
  });
});

describe('queries', () => {
  const query = wire.request({ ...wire.page, overdue: wire.queryBoolean().optional() });

  test('defaults and texts that stand for something else', () => {
    expect(query.parse({})).toEqual({ limit: 25 });
    expect(query.parse({ limit: '100', cursor: 'x', overdue: 'false' })).toEqual({
      limit: 100,
      cursor: 'x',
      overdue: false,
    });
  });

  test('a flag that is false is the same as none', () => {
    const flagged = wire.request({ dry_run: wire.queryFlag() });
    expect(flagged.parse({ dry_run: 'true' }).dry_run).toBe(true);
    expect(flagged.parse({ dry_run: 'false' }).dry_run).toBeUndefined();
    expect(flagged.parse({}).dry_run).toBeUndefined();
    expect(flagged.safeParse({ dry_run: 'no' }).success).toBe(false);
  });

  test.each(['0', '101', '-1', '1.5', '1e1', '', ' 5', '٣', '99999999999'])(
    'a limit of %j is refused',
    (limit) => {
      expect(refusal(query, { limit })).toBe('must be a whole number from 1 to 100');
    },
  );

  test('an empty cursor is refused', () => {
    expect(refusal(query, { cursor: '' })).toBeDefined();
  });
});
