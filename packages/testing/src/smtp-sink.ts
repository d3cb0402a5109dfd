import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A message as the server took it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: string[];
  /** Headers and text, as sent. */
  readonly data: string;
}

/** How the server treats the next messages. */
export type Mood =
  /** Takes them. */
  | 'kind'
  /** Says that the address does not exist. */
  | 'no such address'
  /** Says to come again. */
  | 'busy'
  /** Takes the message, and hangs up instead of saying so. */
  | 'forgetful';

/** A mail server that keeps what it is sent. */
export class SmtpSink {
  readonly received: ReceivedMail[] = [];
  mood: Mood = 'kind';
  readonly #server = createServer((socket) => this.#converse(socket));
  readonly #sockets = new Set<Socket>();

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `smtp://127.0.0.1:${address.port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #converse(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    let input = '';
    let from = '';
    let to: string[] = [];
    let in_data = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 sink');
    socket.on('data', (chunk) => {
      input += chunk.toString('utf8');
      for (;;) {
        const mark = in_data ? '\r\n.\r\n' : '\r\n';
        const end = input.indexOf(mark);
        if (end < 0) return;
        const text = input.slice(0, end);
        input = input.slice(end + mark.length);
        if (in_data) {
          in_data = false;
          this.received.push({ from, to, data: text });
          if (this.mood === 'forgetful') socket.destroy();
          else say('250 taken');
          continue;
        }
        const command = text.slice(0, 4).toUpperCase();
        const address = /<([^>]*)>/.exec(text)?.[1] ?? '';
        if (command === 'MAIL') [from, to] = [address, []];
        if (command === 'RCPT') to.push(address);
        in_data = command === 'DATA' && this.mood !== 'busy';
        say(this.#answer(command));
        if (command === 'QUIT') socket.end();
      }
    });
  }

  #answer(command: string): string {
    if (command === 'RCPT' && this.mood === 'no such address') return '550 no such address';
    if (command === 'DATA') return this.mood === 'busy' ? '451 come again' : '354 go on';
    return command === 'QUIT' ? '221 bye' : '250 well';
  }
}

/** The token in a mail. */
export function tokenIn(mail: ReceivedMail): string {
  const token = /svc_(dt|inv|pc|pwr)_[\w-]+/.exec(textOf(mail))?.[0];
  if (token === undefined) throw new Error(`no token in ${mail.data}`);
  return token;
}

/** What was sent, with its lines as they were written. */
export function textOf({ data }: ReceivedMail): string {
  // Long lines may have been folded.
  return data.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}
