import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { parse } from 'ipaddr.js';

/** A real DNS server over UDP that answers from a table; other names do not exist. */
export interface NameServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Queries by name, each resolution asks for A and AAAA. */
  readonly queries: ReadonlyMap<string, number>;
  /** Sets what a name resolves to; a function is asked each time. `silent` never answers. */
  set(name: string, answer: readonly string[] | (() => readonly string[]) | 'silent'): void;
  stop(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;

/** Starts a name server on loopback. */
export async function startNameServer(): Promise<NameServer> {
  const table = new Map<string, readonly string[] | (() => readonly string[]) | 'silent'>();
  const queries = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    queries.set(name, (queries.get(name) ?? 0) + 1);
    const entry = table.get(name);
    if (entry === 'silent') return;
    const addresses = (typeof entry === 'function' ? entry() : (entry ?? []))
      .map((address) => Buffer.from(parse(address).toByteArray()))
      .filter((bytes) => bytes.length === (type === TYPE_A ? 4 : 16));
    const wanted = type === TYPE_A || type === TYPE_AAAA ? addresses : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (entry === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(wanted.length, 6);
    const answers = wanted.map((bytes) => {
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0); // the name of the question
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(0, 6); // may be kept for 0 s
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...answers]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    queries,
    set: (name, answer) => void table.set(name, answer),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(offset + 1),
    end: offset + 5,
  };
}
