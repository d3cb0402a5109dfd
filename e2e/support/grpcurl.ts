import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { protos } from './protos';

/** A line for grpcurl, taken apart. */
export interface GrpcurlLine {
  readonly address: string;
  /** `list`, `describe`, or the full name of a method. */
  readonly verb: string;
  /** What is described, if anything is. */
  readonly subject: string | undefined;
  readonly headers: readonly (readonly [string, string])[];
  readonly json: string;
  readonly timeout_s: number | undefined;
}

/** How a call came out. */
export interface GrpcurlOutcome {
  /** The answer as grpcurl prints it; undefined when the call failed. */
  readonly answer: unknown;
  readonly error: ServiceError | undefined;
}

const DEFAULT_TIMEOUT_S = 10;

/** The grpcurl lines of a Markdown document's `sh` blocks. */
export function grpcurlLines(markdown: string): GrpcurlLine[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.replace(/\\\n/g, ' ').split('\n'))
    .filter((line) => line.startsWith('grpcurl '))
    .map(parseLine);
}

/** Words as a shell takes them, as far as quotes go. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function parseLine(line: string): GrpcurlLine {
  const headers: [string, string][] = [];
  const positional: string[] = [];
  let json = '{}';
  let timeout_s: number | undefined;
  const words = shellWords(line).slice(1);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    switch (word) {
      case '-plaintext':
      case '-v':
        break;
      case '-H': {
        const [name = '', value = ''] = (words.shift() ?? '').split(/: (.*)/);
        headers.push([name, value]);
        break;
      }
      case '-d':
        json = words.shift() ?? '';
        break;
      case '-max-time':
        timeout_s = Number(words.shift());
        break;
      default:
        if (word.startsWith('-')) throw new Error(`${word} is not known here: ${line}`);
        positional.push(word);
    }
  }
  const [address, verb, subject] = positional;
  if (address === undefined || verb === undefined) throw new Error(`No method in: ${line}`);
  return { address, verb, subject, headers, json, timeout_s };
}

/** The services that `list` and `describe` can speak of. */
export function isService(name: string): boolean {
  return protos.getService(name) !== undefined;
}

/**
 * Makes the call of a line as grpcurl would, at another address: JSON by the proto's own rules in
 * both directions, and a field or method that is not there is an error.
 */
export async function runGrpcurl(line: GrpcurlLine, address: string): Promise<GrpcurlOutcome> {
  const [service_name = '', method_name] = line.verb.split('/');
  const method = protos.getService(service_name)?.methods.find(({ name }) => name === method_name);
  if (method === undefined) throw new Error(`${line.verb} is not declared.`);
  const request = toBinary(method.input, fromJson(method.input, JSON.parse(line.json)));
  const metadata = new Metadata();
  for (const [name, value] of line.headers) metadata.set(name, value);
  const client = new Client(address, credentials.createInsecure());
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        `/${line.verb}`,
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes: Buffer) => toJson(method.output, fromBinary(method.output, bytes)),
        request,
        metadata,
        { deadline: Date.now() + (line.timeout_s ?? DEFAULT_TIMEOUT_S) * 1_000 },
        (error, answer) => resolve({ answer, error: error ?? undefined }),
      );
    });
  } finally {
    client.close();
  }
}
