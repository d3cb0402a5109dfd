import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  type CheckpointVerifier,
  Frontier,
  isConsistent,
  leafHash,
  parseNote,
  type SignedCheckpoint,
} from '@credit/platform/merkle';
import { z } from 'zod';
import { CHAIN_START } from '../domain/audit-chain';
import { type ExportEnd, endsHead, exportOrigin, FORMAT } from '../domain/audit-export';
import { auditOrigin } from '../domain/audit-origin';

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
const place = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(BigInt);

/** Each kind of line but an entry, which is an array. */
const LINE = z.union([
  z.strictObject({ audit_export: z.literal(FORMAT), month: z.string() }),
  z.strictObject({
    chain_id: z.string(),
    first: place,
    edge: z.array(z.strictObject({ tier: z.number(), tile: z.number(), hashes: bytes })),
  }),
  z.strictObject({
    last: place,
    hash: bytes,
    root: bytes,
    checkpoint: z.string(),
    path: z.array(bytes),
  }),
  z.strictObject({ seal: z.string() }),
]);

/** A line as it is written. */
export type Line = z.input<typeof LINE>;

/** A file is not what was exported. */
export class BrokenExport extends Error {
  constructor(file: string, line: number, problem: string) {
    super(`${file}, line ${line}: ${problem}.`);
    this.name = 'BrokenExport';
  }
}

/** What is in a file that is whole. */
export interface VerifiedExport {
  readonly month: string;
  readonly entries: number;
  readonly ends: readonly ExportEnd[];
  readonly seal: string;
  /** SHA-256 of the file. */
  readonly digest: Buffer;
}

interface OpenChain {
  readonly chain_id: string;
  readonly first: bigint;
  readonly frontier: Frontier;
  sequence: bigint;
  hash: Buffer | undefined;
}

/** Checks an exported month by itself; throws {@link BrokenExport} with the first thing wrong. */
export async function verifyAuditExport(
  file: string,
  verifier: CheckpointVerifier,
): Promise<VerifiedExport> {
  const digest = createHash('sha256');
  const source = createReadStream(file);
  source.on('data', (chunk) => digest.update(chunk));
  let number = 0;
  let month: string | undefined;
  let open: OpenChain | undefined;
  let seal: string | undefined;
  let entries = 0;
  const ends: ExportEnd[] = [];
  const must: (right: boolean, problem: string) => asserts right = (right, problem) => {
    if (!right) throw new BrokenExport(file, number, problem);
  };
  const signed = (note: string, origin: string): SignedCheckpoint => {
    const checkpoint = parseNote(note);
    must(checkpoint?.origin === origin, 'what was signed is of something else');
    const fault = verifier.faultOf(checkpoint);
    must(
      fault === undefined,
      `the signature is ${fault === 'forged' ? 'forged' : 'of an unknown key'}`,
    );
    return checkpoint;
  };

  await pipeline(source, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const text of linesOf(chunks)) {
      number += 1;
      const json = parseJson(text);
      must(seal === undefined, 'something follows on the seal');
      if (Array.isArray(json)) {
        must(open !== undefined, 'an entry is of no log');
        const [prev_hash, chain_id, sequence] = json as unknown[];
        must(
          chain_id === open.chain_id && sequence === `${open.sequence + 1n}`,
          'an entry is missing',
        );
        const before = open.hash ?? (open.first === 1n ? CHAIN_START : undefined);
        must(
          before === undefined || prev_hash === before.toString('hex'),
          'an entry does not follow on the one before',
        );
        open.sequence += 1n;
        open.hash = createHash('sha256').update(text).digest();
        open.frontier.push(leafHash(text));
        entries += 1;
        continue;
      }
      const parsed = LINE.safeParse(json);
      must(parsed.success, 'it is no line of an export');
      const line = parsed.data;
      if ('audit_export' in line) {
        must(number === 1, 'it begins twice');
        month = line.month;
      } else if ('edge' in line) {
        must(month !== undefined && open === undefined, 'a log begins within another');
        const { chain_id, first, edge } = line;
        const frontier = new Frontier(Number(first) - 1, edge);
        open = { chain_id, first, frontier, sequence: first - 1n, hash: undefined };
      } else if ('root' in line) {
        must(open?.hash !== undefined && open.sequence === line.last, 'entries are missing');
        const { chain_id, first, frontier, hash } = open;
        const { last, root } = line;
        must(line.hash.equals(hash) && root.equals(frontier.root()), 'entries are others');
        const head = { size: Number(last), root };
        const checkpoint = signed(line.checkpoint, auditOrigin(chain_id));
        must(isConsistent(head, checkpoint, line.path), 'entries are not those that were signed');
        ends.push({ chain_id, first, last, hash, root });
        open = undefined;
      } else {
        must(month !== undefined && open === undefined, 'it is sealed too early');
        const { size, root } = signed(line.seal, exportOrigin(month));
        const head = endsHead(ends);
        must(size === head.size && root.equals(head.root), 'logs are missing, or are others');
        seal = line.seal;
      }
    }
  });
  must(seal !== undefined && month !== undefined, 'it has no seal: its end is missing');
  return { month, entries, ends, seal, digest: digest.digest() };
}

/** Of texts that may hold other ends of lines. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const [begun = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    const whole = [rest + begun, ...others];
    rest = whole.pop() ?? '';
    yield* whole;
  }
  if (rest !== '') yield rest;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
