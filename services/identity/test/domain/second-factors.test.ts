import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import {
  amrOf,
  mustSetSecondFactor,
  newFactorSecret,
  newRecoveryText,
  otpauthUri,
  otpFrom,
  type Proof,
  proofFrom,
  REQUIRED_OF,
  shownRecoveryCode,
  stepOfCode,
} from '../../src/domain/second-factors';

const STEP_MS = 30_000;

/** The secret of RFC 6238's vectors, "12345678901234567890", in base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** Bytes that follow from a seed. */
const bytesOf = (seed: number) => (size: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(size / 32) }, (_, index) =>
      createHash('sha256').update(`${seed} ${index}`).digest(),
    ),
  ).subarray(0, size);

describe('a code of the authenticator', () => {
  // RFC 6238, appendix B: the last six of its eight digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of the RFC at %s s', (at_s, code) => {
    expect(stepOfCode(RFC_SECRET, code, at_s * 1_000)).toBe(Math.floor(at_s / 30));
  });

  test('is taken from half a minute before its step until half a minute after it', () => {
    // Of the step from 1111111110 s, whose code is the RFC's third.
    const from_ms = 1_111_111_110_000;
    const step = from_ms / STEP_MS;
    const at = (offset_ms: number) => stepOfCode(RFC_SECRET, '050471', from_ms + offset_ms);
    expect(at(-STEP_MS - 1)).toBeUndefined();
    expect([at(-STEP_MS), at(-1), at(0), at(STEP_MS - 1)]).toEqual([step, step, step, step]);
    expect(at(2 * STEP_MS - 1)).toBe(step);
    expect(at(2 * STEP_MS)).toBeUndefined();
  });

  test('names its own step however clocks differ, so that a replay is seen as one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 1_000, max: 60_000_000 }),
        fc.integer({ min: -1, max: 1 }),
        fc.integer({ min: 0, max: STEP_MS - 1 }),
        (seed, step, drift_steps, within_ms) => {
          const secret = newFactorSecret(bytesOf(seed));
          const code = codeAt(secret, step);
          const found = stepOfCode(secret, code, (step + drift_steps) * STEP_MS + within_ms);
          // Two steps around now may have the same code by chance; it is one of these then.
          expect(found).toBeDefined();
          expect(Math.abs((found ?? 0) - (step + drift_steps))).toBeLessThanOrEqual(1);
          expect(codeAt(secret, found ?? 0)).toBe(code);
        },
      ),
    );
  });

  test('of another secret is none', () => {
    expect(stepOfCode(newFactorSecret(bytesOf(1)), '050471', 1_111_111_111_000)).toBeUndefined();
  });
});

/** The code of a step, found by what takes it: the domain makes none. */
function codeAt(secret: string, step: number): string {
  const key = Buffer.from(
    [...secret]
      .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter))
      .reduce((bits, value) => bits + value.toString(2).padStart(5, '0'), '')
      .match(/.{8}/g)
      ?.map((bits) => Number.parseInt(bits, 2)) ?? [],
  );
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

test('a secret has 160 bits, and an authenticator is told whose and how', () => {
  const secret = newFactorSecret(bytesOf(7));
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newFactorSecret(bytesOf(8))).not.toBe(secret);
  const uri = new URL(otpauthUri(secret, { issuer: 'Credit network', email: 'a+b@x.example' }));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toContain('Credit network:a+b@x.example');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Credit network',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

describe('what is shown in place of a password', () => {
  test('a code is read however it is spaced', () => {
    expect(proofFrom({ code: ' 123 456 ' })).toEqual({ kind: 'otp', code: '123456' });
    expect(otpFrom('1 2 3 4 5 6')).toBe('123456');
  });

  test.each(['', '12345', '1234567', '12345a', '１２３４５６', '-12345'])(
    '%j is no code',
    (code) => {
      expect(() => proofFrom({ code })).toThrow(faultOf('code', 'must be 6 digits'));
    },
  );

  test('none of the two is a missing code, and both are one too many', () => {
    expect(() => proofFrom({})).toThrow(faultOf('code', 'must be 6 digits'));
    expect(() => proofFrom({ code: '123456', recovery_code: 'ABCD-EFGH-IJKL-MNOP' })).toThrow(
      faultOf('recovery_code', 'must not come together with code'),
    );
  });

  test('a recovery code is read as it is shown, small, and without its dashes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seed) => {
        const text = newRecoveryText(bytesOf(seed));
        const shown = shownRecoveryCode(text);
        expect(text).toMatch(/^[A-Z2-7]{16}$/);
        expect(shown).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
        const proof: Proof = { kind: 'recovery', text };
        for (const typed of [shown, text, shown.toLowerCase(), ` ${shown.replaceAll('-', ' ')} `]) {
          expect(proofFrom({ recovery_code: typed })).toEqual(proof);
        }
      }),
    );
  });

  test.each(['', 'ABCD-EFGH-IJKL-MNO', 'ABCD-EFGH-IJKL-MNOPQ', 'ABCD-EFGH-IJKL-MN01'])(
    '%j is no recovery code',
    (recovery_code) => {
      expect(() => proofFrom({ recovery_code })).toThrow(
        faultOf('recovery_code', 'must be 16 letters and digits'),
      );
    },
  );

  test('each is kept apart in what a session was begun with', () => {
    expect(amrOf({ kind: 'otp', code: '123456' })).toBe('pwd+otp');
    expect(amrOf({ kind: 'recovery', text: 'A'.repeat(16) })).toBe('pwd+recovery');
  });
});

/** The bytes of a recovery code are spread over its letters evenly: no letter is likelier. */
test('each letter of a recovery code has five bits of chance', () => {
  const letters = newRecoveryText(() => Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const counts = new Map<string, number>();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect([...counts.values()]).toEqual(Array(32).fill(8));
});

test('who must set one up is said by the network, and nobody who has one', () => {
  const member = { platform_role: undefined, second_factor: false };
  const admin = { platform_role: 'PLATFORM_ADMIN', second_factor: false } as const;
  const owes = (user: typeof member | typeof admin) =>
    REQUIRED_OF.filter((required_of) => mustSetSecondFactor(required_of, user));
  expect(owes(member)).toEqual(['everyone']);
  expect(owes(admin)).toEqual(['administrators', 'everyone']);
  for (const user of [member, admin]) {
    for (const required_of of REQUIRED_OF) {
      expect(mustSetSecondFactor(required_of, { ...user, second_factor: true })).toBe(false);
    }
  }
});

function faultOf(path: string, message: string) {
  return expect.objectContaining({ details: [{ path, message }] });
}
