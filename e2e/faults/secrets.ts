// What nobody may find in a log, a trace or a database of the run, and the search for it.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

/** Something that stands where it must not; never the thing itself. */
export interface Leak {
  readonly what: string;
  readonly where: string;
}

interface Known {
  readonly what: string;
  readonly text: string;
}

/** A long run makes more of them than can be looked for. */
const REMEMBERED = 300;
const SECRET_FIELDS = /"(token|secret|access_token|refresh_token)":"([^"]+)"/g;
/**
 * Of people, by what all of the run's names have in common. The databases keep them, which is what a
 * register of credit is for; what operators look at does not.
 */
const NAMES: readonly Known[] = [
  { what: 'the name of a person', text: 'player-' },
  { what: 'the address of an owner', text: '@member.example' },
  { what: 'the name of an owner', text: 'Olga Owner' },
];
/** All passwords of members begin so, and none is kept by the run. */
const PASSWORDS: Known = { what: 'the password of an owner', text: 'correct horse ' };

/** What is meant to stand there: on a machine of one's own the supervisor says how to sign in. */
const ALLOWED: readonly Leak[] = [{ what: 'the password of the administrator', where: 'the log' }];

/** The secrets that a run has come to know. */
export class Secrets {
  private readonly lasting: Known[] = [PASSWORDS];
  private readonly latest: Known[] = [];

  /** For as long as the run is. */
  add(what: string, text: string | undefined): void {
    if (text !== undefined && text !== '') this.lasting.push({ what, text });
  }

  /** Those of an answer; it comes back without them. */
  takeFrom(text: string): string {
    return text.replace(SECRET_FIELDS, (_all, field: string, secret: string) => {
      this.latest.push({ what: `a ${field}`, text: secret });
      if (this.latest.length > REMEMBERED) this.latest.shift();
      return `"${field}":""`;
    });
  }

  /** In what nobody should learn who somebody is from either. */
  inOperation(where: string, text: string): Leak[] {
    return leaksIn(where, text, [...this.lasting, ...this.latest, ...NAMES]);
  }

  /** Also as bytes are shown. */
  inDatabase(where: string, text: string): Leak[] {
    const known = [...this.lasting, ...this.latest].flatMap((one) => [
      one,
      { ...one, text: Buffer.from(one.text).toString('hex') },
    ]);
    return leaksIn(where, text, known);
  }
}

function leaksIn(where: string, text: string, known: readonly Known[]): Leak[] {
  const found = known.filter((one) => text.includes(one.text)).map(({ what }) => what);
  return [...new Set(found)]
    .map((what) => ({ what, where }))
    .filter((leak) => !ALLOWED.some((one) => isDeepStrictEqual(one, leak)));
}

/** Takes in what services trace, and keeps what leaks by it. */
export class Traces {
  readonly leaks: Leak[] = [];
  bytes = 0;

  private constructor(private readonly server: Server) {}

  static async collect(secrets: Secrets): Promise<Traces> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        traces.bytes += text.length;
        traces.leaks.push(...secrets.inOperation('a trace', text));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    const traces = new Traces(server);
    await once(server, 'listening');
    return traces;
  }

  /** For the environment of the system. */
  get environment(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_TRACES_SAMPLER_ARG: '1',
    };
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
