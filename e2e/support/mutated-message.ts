import { type DescField, type DescMessage, ScalarType, toBinary } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { Chance } from './chance';
import { mutateBytes, ODD_TEXTS } from './mutated-request';

/** What messages and contexts may name that exists. */
export interface Known {
  /** By the name of a field: ids and other texts that mean something. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** For any field whose name ends in `id`. */
  readonly ids: readonly string[];
  /** Who calls, of whom no more than the institution's own may be seen. */
  readonly institution_id: string;
  readonly actors: readonly string[];
}

/** A call as it goes over the wire. */
export interface MutatedCall {
  /** By the frames of a tunnel, whose metadata can be of any text. */
  readonly tunnelled: boolean;
  readonly request: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
}

const DEEPEST = 5;
const TIMEOUT_MS = 20_000;
/** More than any batch may have. */
const MANY = 1_001;
const OVERSIZE_BYTES = 17 * 1024 * 1024;

/** Texts that the wire can carry: a lone surrogate is none. */
const TEXTS = ODD_TEXTS.filter((text) => text.isWellFormed());

const INT32 = [0, 1, -1, 10, 100, 101, 2 ** 31 - 1, -(2 ** 31)];
const UINT32 = [0, 1, 10, 2 ** 32 - 1];
const INT64 = [0n, 1n, -1n, 2_500n, 99_999_999_999_999n, 2n ** 63n - 1n, -(2n ** 63n)];
const UINT64 = [0n, 1n, 2n ** 64n - 1n];
const DOUBLE = [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, -1e308];
/** The year -292277022657, one before 1970, today's, and the last that RFC 3339 has. */
const SECONDS = [-(2n ** 63n), -86_400n, 253_402_300_799n, 253_402_300_800n, 2n ** 63n - 1n];
const NANOS = [0, 999_999_999, 1_000_000_000, -1, 2 ** 31 - 1];

/** A random request of a method, and a random context. */
export function mutatedCall(chance: Chance, input: DescMessage, known: Known): MutatedCall {
  // Most calls have little that is odd in them, so that they come past the first check.
  const oddity = chance.pick([0, 0.05, 0.15, 0.5]);
  const message = messageOf(chance, input, known, oddity, 0);
  const bytes = Buffer.from(toBinary(input, message.message));
  const tunnelled = chance.happens(0.5);
  return {
    tunnelled,
    request: bytesOf(chance, bytes, tunnelled),
    metadata: metadataOf(chance, known, tunnelled ? TEXTS : ODD_METADATA),
    timeout_ms: chance.happens(0.03) ? chance.pick([1, 5, 20]) : TIMEOUT_MS,
  };
}

function bytesOf(chance: Chance, bytes: Buffer, tunnelled: boolean): Buffer {
  // One too large for a message ends the tunnel and everything in it.
  if (!tunnelled && chance.happens(0.002)) return Buffer.alloc(OVERSIZE_BYTES);
  return chance.happens(0.08) ? mutateBytes(chance, bytes) : bytes;
}

function messageOf(
  chance: Chance,
  desc: DescMessage,
  known: Known,
  oddity: number,
  depth: number,
): ReflectMessage {
  const message = reflect(desc);
  if (desc.typeName === 'google.protobuf.Timestamp') {
    const { seconds, nanos } = timeOf(chance, oddity);
    for (const field of desc.fields) message.set(field, field.number === 1 ? seconds : nanos);
    return message;
  }
  for (const member of desc.members) {
    if (chance.happens(0.2)) continue;
    const field = member.kind === 'oneof' ? chance.pick(member.fields) : member;
    fill(chance, message, field, known, oddity, depth);
  }
  return message;
}

function timeOf(chance: Chance, oddity: number) {
  if (chance.happens(oddity)) return { seconds: chance.pick(SECONDS), nanos: chance.pick(NANOS) };
  const ago_s = chance.below(700 * 86_400);
  return { seconds: BigInt(Math.floor(Date.now() / 1_000) - ago_s), nanos: 0 };
}

function fill(
  chance: Chance,
  message: ReflectMessage,
  field: DescField,
  known: Known,
  oddity: number,
  depth: number,
): void {
  const scalar = (type: ScalarType) => scalarOf(chance, field.name, type, known, oddity);
  const enumOf = ({ values }: { values: readonly { readonly number: number }[] }) =>
    chance.happens(oddity) ? chance.pick([0, -1, 99, 2 ** 31 - 1]) : chance.pick(values).number;
  const inner = (desc: DescMessage) => messageOf(chance, desc, known, oddity, depth + 1);
  switch (field.fieldKind) {
    case 'scalar':
      message.set(field, scalar(field.scalar));
      return;
    case 'enum':
      message.set(field, enumOf(field.enum));
      return;
    case 'message':
      if (depth < DEEPEST) message.set(field, inner(field.message));
      return;
    case 'list': {
      if (depth >= DEEPEST) return;
      const { listKind } = field;
      const list = message.get(field);
      const item =
        listKind === 'scalar'
          ? scalar(field.scalar)
          : listKind === 'enum'
            ? enumOf(field.enum)
            : inner(field.message);
      const count = chance.happens(oddity / 2) ? MANY : chance.below(3);
      for (let i = 0; i < count; i += 1) list.add(item);
      return;
    }
    case 'map':
      // No request has one.
      return;
    default:
      field satisfies never;
  }
}

function scalarOf(
  chance: Chance,
  name: string,
  type: ScalarType,
  known: Known,
  oddity: number,
): unknown {
  const is_odd = chance.happens(oddity);
  switch (type) {
    case ScalarType.STRING:
      return is_odd ? oddText(chance) : textOf(chance, name, known);
    case ScalarType.BOOL:
      return chance.happens(0.3);
    case ScalarType.INT32:
      return is_odd ? chance.pick(INT32) : 1 + chance.below(10);
    case ScalarType.UINT32:
      return is_odd ? chance.pick(UINT32) : chance.below(10);
    case ScalarType.INT64:
      return is_odd ? chance.pick(INT64) : BigInt(chance.below(100_000));
    case ScalarType.UINT64:
      return is_odd ? chance.pick(UINT64) : BigInt(chance.below(100));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return is_odd ? chance.pick(DOUBLE) : chance.next();
    case ScalarType.BYTES:
      return Uint8Array.from({ length: chance.pick([0, 1, 32, 33, 5_000]) }, () =>
        chance.below(256),
      );
    default:
      throw new Error(`${name} has a type that no field had: ${ScalarType[type]}.`);
  }
}

function oddText(chance: Chance): string {
  return chance.happens(0.02) ? 'x'.repeat(1_200_000) : chance.pick(TEXTS);
}

function textOf(chance: Chance, name: string, { texts, ids }: Known): string {
  const own = texts[name];
  if (own !== undefined && own.length > 0) return chance.pick(own);
  return /(^|_)ids?$/.test(name) ? chance.pick(ids) : `${name} ${chance.below(1_000)}`;
}

/** What a header can carry. */
const ODD_METADATA = ['', 'x', '*', 'null', 'x'.repeat(2_000), "'; DROP TABLE users; --", ':::'];

/** The context, with what it should have, or without, or with what it should not. */
function metadataOf(
  chance: Chance,
  known: Known,
  odd_texts: readonly string[],
): Record<string, string> {
  const odd = () => chance.pick(odd_texts);
  const all: Record<string, string> = {
    'credit-environment': chance.happens(0.7)
      ? 'live'
      : chance.pick(['test', 'LIVE', 'production', '']),
    'credit-institution': chance.happens(0.9) ? known.institution_id : odd(),
    'credit-actor': chance.happens(0.9) ? chance.pick(known.actors) : odd(),
    'x-request-id': chance.happens(0.9) ? `fuzz-${chance.below(1_000_000)}` : odd(),
    // Few of them, so that keys meet each other.
    'idempotency-key': chance.happens(0.9) ? `fuzzed-key-${chance.below(40)}` : odd(),
    'credit-client-address': chance.happens(0.9) ? '203.0.113.9' : odd(),
    traceparent: chance.happens(0.9)
      ? '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      : odd(),
  };
  return Object.fromEntries(Object.entries(all).filter(() => chance.happens(0.92)));
}
